# The announcement is not passed on.
/^chang_roberts_on_leader(/,/^}/s/chang_roberts_send(.*);/;/
