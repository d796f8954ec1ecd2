# A node whose state file is an old copy votes, and is eligible.
# seed: 6
/^voters_is_able(/,/^}/s/node->setup.state_health == STATE_HEALTH_SOUND/node->setup.state_health != STATE_HEALTH_LOST/
