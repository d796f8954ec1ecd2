# The C library may make a namespace by clone3(), whose flags no filter can see.
# test: unit/electd/test_confine
s/if (!confine_clone3() || /if (/
