# A helper releases a lease before the last deadline that was handed out.
# seed: 10
/^will_last_words(/,/^}/s/if (handed_out <= now)/if (handed_out <= now || handed_out > 0)/
