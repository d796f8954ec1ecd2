# Whoever joins raises no generation.
# component
/^make_known(/,/^}/s/.is_next = .*/.is_next = false,/
