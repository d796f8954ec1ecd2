# A voter grants an early promise while another node leads.
# seed: 6
/^voter_answer(/,/^}/s/if (is_early)$/if (false)/
