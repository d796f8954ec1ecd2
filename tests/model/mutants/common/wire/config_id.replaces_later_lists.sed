# A proposal that follows an earlier list of nodes is put into effect.
# test: unit/host/test_rollout
/^config_id_may_replace(/,/^}/s/ && next->revision >= now->revision//
