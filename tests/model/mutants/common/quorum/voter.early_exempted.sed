# A restarted voter at once grants a promise that it made while another led.
# seed: 39
s/ || v->promise.is_early)) {/)) {/
