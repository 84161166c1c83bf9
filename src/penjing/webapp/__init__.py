"""The lab: trees grown, pruned and explained by hand in a browser or a notebook."""
