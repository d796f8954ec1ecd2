# Whoever is promised a term early is granted it while another leads.
/^voter_answer(/,/^}/s/if (is_early)$/if (false)/
