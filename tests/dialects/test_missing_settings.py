"""Each recipe accepts the policies for missing values that it has, and no others."""

import numpy as np
import pytest

import penjing

POLICIES = ("refuse", "fraction", "surrogate", "direction", "branch")


def rows(form):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 3))
    x[rng.random((60, 3)) < 0.2] = np.nan
    if form == "array":
        return x
    return [dict(zip("abc", [None if np.isnan(v) else v for v in row], strict=True)) for row in x]


@pytest.mark.parametrize("form", ["array", "rows"])
@pytest.mark.parametrize("engine", ["native", "memory"])
@pytest.mark.parametrize("recipe", list(penjing.RECIPES))
def test_missing_values_are_refused_if_the_setting_says_so(recipe, engine, form):
    with pytest.raises(penjing.PenjingError) as refused:
        penjing.fit(rows(form), [0, 1] * 30, recipe, missing="refuse", engine=engine, quiet=True)
    assert refused.value.key.startswith("missing_refused")
    assert ("missing='refuse' is set" in str(refused.value)) == (
        penjing.RECIPES[recipe].missing != "refuse" and recipe != "c4.5-textbook"
    )


@pytest.mark.parametrize("recipe", list(penjing.RECIPES))
def test_a_policy_is_accepted_only_if_it_is_one(recipe):
    trees = {}
    for policy in POLICIES[1:]:
        try:
            tree = penjing.fit(rows("array"), [0, 1] * 30, recipe, missing=policy, quiet=True)
        except penjing.PenjingError as refused:
            assert policy in str(refused)  # noqa: PT017 - it may also be accepted
            continue
        trees[policy] = tree.to_json()["nodes"]
    found = list(trees.values())
    assert found  # two policies are never two names of one
    assert all(a != b for i, a in enumerate(found) for b in found[:i])
