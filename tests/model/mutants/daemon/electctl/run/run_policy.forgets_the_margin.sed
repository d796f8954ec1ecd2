# A supervisor that is stopped dies at the deadline, and leaves its service manager no time.
# test: unit/electctl/test_run_policy
s/early + policy->margin/early/
