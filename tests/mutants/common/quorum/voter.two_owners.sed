# A term is promised to whoever asks for it.
# sample
s/return v->is_released || !owner_equal(nominee, v->promise.owner);/return false;/
