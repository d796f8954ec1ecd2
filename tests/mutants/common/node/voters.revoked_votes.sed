# A node whose record was rolled back votes and stands.
/^voters_is_able(/,/^}/s/node->setup.state_health == STATE_HEALTH_SOUND/node->setup.state_health != STATE_HEALTH_LOST/
