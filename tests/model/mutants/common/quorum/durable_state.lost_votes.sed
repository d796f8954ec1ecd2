# A voter whose state file is lost votes as it starts.
# seed: 11
/^durable_found(/,/^}/s/if (!is_complete)/if (false)/
