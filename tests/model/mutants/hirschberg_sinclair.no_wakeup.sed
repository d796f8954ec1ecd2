# A sleeping node swallows a worse PROBE, but does not wake.
/^hs_wake(/,/^}/s/hs_start(h, out);/;/
