# A file in the place of an edition has no stamp: an earlier edition follows it.
# test: unit/world/test_world_forgotten
s/edition.stamp = was->stamp;/edition.stamp = 0;/
