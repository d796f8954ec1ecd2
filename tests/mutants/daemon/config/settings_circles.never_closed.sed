# A circle ends at its last node, which has no link to the first.
# test: unit/config/test_settings_circles
/qsort(seats,/,/^}/s/i < count; i++)/i + 1 < count; i++)/
