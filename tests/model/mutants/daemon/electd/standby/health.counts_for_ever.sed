# A helper that is stopped keeps a sick node in the lead.
# test: unit/electd/test_health
s/h->heard_until = nsec_after(now, HEALTH_VALID)/h->heard_until = NSEC_NEVER/
