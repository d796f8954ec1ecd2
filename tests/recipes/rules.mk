# SPDX-License-Identifier: ISC
# Recipes: electd-recipes(7) on hosts with systemd and cron.

RECIPE_TREE := $(BUILD)/recipes/debian/tree
make_recipe_tree = bash tests/rollout/tree.sh '$(RECIPE_TREE)' iproute2 \
    openssh-server openssl cron

.PHONY: recipes
recipes: all tools ## the recipes of electd-recipes(7) on hosts with systemd; as root
	@$(make_recipe_tree)
	@BUILD='$(BUILD)' MAKE='$(MAKE)' bash tests/recipes/recipes.sh
