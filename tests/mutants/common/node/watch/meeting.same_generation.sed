# Whoever joins raises no generation.
# seed: 16
# component
/^make_known(/,/^}/s/.is_next = .*/.is_next = false,/
