# A file is forgotten as soon as this host alone has it in effect.
# test: unit/world/test_world_steps
# case: first_start_does_not_lose_a_later_file
s/if (!is_news && node_config_id(node)->config_term != 0)/if (!is_news)/
