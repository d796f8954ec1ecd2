# A circle ends at its last node, which has no link to the first.
# test: unit/config/test_circles
/sort(seats,/,/^}/s/i < count; i++)/i + 1 < count; i++)/
