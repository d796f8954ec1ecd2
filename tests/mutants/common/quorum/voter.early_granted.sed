# Whoever is promised a term early is granted it while another leads.
/^voter_claim(/,/^}/s/if (is_early)$/if (false)/
