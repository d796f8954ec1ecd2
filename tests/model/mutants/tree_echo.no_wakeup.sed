# A sleeping node does not pass EXPLORER on.
/^echo_on_explorer(/,/^}/s/echo_send(e, i, ECHO_EXPLORER, out);/;/
