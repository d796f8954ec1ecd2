# A helper releases a lease before the last deadline that was handed out.
# seed: 10
/^will_last_words(/,/^}/s/if (promised <= now)/if (promised <= now || promised > 0)/
