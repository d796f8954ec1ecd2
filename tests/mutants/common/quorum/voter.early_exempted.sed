# A voter that comes back grants whom it had promised a term while another led.
s/ || v->promise.is_early)) {/)) {/
