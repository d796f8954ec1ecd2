# A restarted voter at once grants a promise that it made while another led.
s/ || v->promise.is_early)) {/)) {/
