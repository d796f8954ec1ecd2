# A list of nodes is not newer than another one of the same file.
# seed: 7
s/a->revision > b->revision/false/
