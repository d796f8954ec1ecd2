# SPDX-License-Identifier: ISC
# Recipes: electd-recipes(7) on hosts with systemd, cron, nginx and PostgreSQL.

RECIPE_TREE := $(BUILD)/recipes/debian/tree
make_recipe_tree = bash tests/system/rollout/tree.sh '$(RECIPE_TREE)' iproute2 \
    openssh-server openssl cron nginx-light curl libmicrohttpd12 postgresql-15

# For `make test-long`, which compiles while this waits for the network.
.PHONY: recipe-tree
recipe-tree:
	@$(make_recipe_tree) || echo 'So the recipes are left out.'

# ROUNDS reaches the script by itself.
.PHONY: recipes
recipes: all tools ## the recipes of electd-recipes(7) on hosts with systemd; as root: ROUNDS=2
	@$(make_recipe_tree)
	@BUILD='$(BUILD)' MAKE='$(MAKE)' bash tests/system/recipes/recipes.sh
