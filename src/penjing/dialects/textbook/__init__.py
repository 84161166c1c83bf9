"""The textbook dialect: ID3, C4.5 and CART as books describe them.

Three stop conditions, the column of the best score, the first of ties: the defaults of `Dialect`.
"""

from __future__ import annotations

from penjing.dialects.textbook import native_kernel
from penjing.dialects.textbook.native_best_splits import native_best_splits
from penjing.grow.dialect import Dialect
from penjing.grow.recipe import Recipe

ID3 = Recipe("id3", criterion="gain", shape="multiway", missing="refuse")
C45_TEXTBOOK = Recipe("c4.5-textbook", criterion="gain_ratio", shape="multiway", missing="fraction")
CART_TEXTBOOK = Recipe("cart-textbook", criterion="gini", shape="multiway", missing="refuse")
CART_BINARY = Recipe("cart-binary", criterion="gini", shape="binary", missing="refuse")

TEXTBOOK = Dialect(
    name="textbook",
    recipes=(ID3, C45_TEXTBOOK, CART_TEXTBOOK, CART_BINARY),
    namesakes={"c4.5-textbook": "c4.5"},
    native_grow=native_kernel.grow,
    is_native=native_kernel.is_native,
    refuses_missing=True,
    takes_constraints=True,
    native_best_splits=native_best_splits,
)
