# A file in the place of an edition has no stamp: an earlier edition follows it.
# test: unit/world/test_world_forgotten
# case: file_in_the_place_of_an_edition_goes_behind_none
s/edition.stamp = was->stamp;/edition.stamp = 0;/
