# Whoever joins raises no revision.
# seed: 16
# component
/^make_known(/,/^}/s/.is_next = .*/.is_next = false,/
