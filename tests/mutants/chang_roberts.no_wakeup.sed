# A better node that is reached by a worse rank does not stand.
/^chang_roberts_on_election(/,/^}/s/chang_roberts_stand(c, out);/;/
