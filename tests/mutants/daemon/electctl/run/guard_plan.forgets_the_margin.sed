# A guard that is stopped dies at the deadline, and leaves its supervisor no time.
# test: unit/electctl/test_guard_plan
s/early + plan->margin/early/
