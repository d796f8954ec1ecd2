# A better node that a worse rank reaches does not send its own.
/^chang_roberts_on_election(/,/^}/s/chang_roberts_start(c, out);/;/
