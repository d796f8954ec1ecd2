# A later process of the same node counts as the owner.
# seed: 11
s/return a.id == b.id \&\& a.incarnation == b.incarnation;/return a.id == b.id;/
