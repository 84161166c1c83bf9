"""Growing: the loop, the recipe, the engine protocol and the search for splits."""
