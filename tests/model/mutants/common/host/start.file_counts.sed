# Under quorum a host starts by a file that no leader has put into effect.
# seed: 3
s/\.uses_kept = is_quorum ? !is_copy : is_older || differs,/.uses_kept = is_older,/
