# A node that is asked answers, but holds no election.
/^bully_on_election(/,/^}/s/bully_start(b, out);/;/
