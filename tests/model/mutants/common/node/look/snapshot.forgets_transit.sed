# Messages in transit are not recorded.
# seed: 41
# component
/^transit_add_to_all(/,/^}/s/if (is_recording(/if (message->kind > 7 \&\& is_recording(/
