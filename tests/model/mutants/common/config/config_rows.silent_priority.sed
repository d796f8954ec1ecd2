# Two hosts may differ in the priority of a node, and nobody notices.
# test: unit/config/test_settings_digest
/{ "priority"/,/},/s/\.initial = "0"/\.is_undigested = true, &/
