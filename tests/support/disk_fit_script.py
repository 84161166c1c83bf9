"""Script that fits a tree with engine `disk`, to be killed: FILE WORK MODEL RECIPE."""

from __future__ import annotations

import sys

import penjing

if __name__ == "__main__":
    path, work, model, recipe = sys.argv[1:]
    tree = penjing.fit(path, "class", recipe, engine="disk", work=work, max_depth=4)
    tree.save(model)
