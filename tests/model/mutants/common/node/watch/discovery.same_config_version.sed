# Whoever joins raises no config version.
# seed: 16
# component
/^make_known(/,/^}/s/.is_next = .*/.is_next = false,/
