# A voter promises a term to every node that requests it.
# seed: 9
# sample
s/return v->is_released || !owner_equal(nominee, v->promise.owner);/return false;/
