# A voter grants an early promise while another node leads.
/^voter_answer(/,/^}/s/if (is_early)$/if (false)/
