"""Pruning decisions as text: every decision, and the node it now belongs to."""

from __future__ import annotations

import penjing
from export_trees import chain
from penjing.explain import pruning_text
from penjing.text.labels import branch_text

MELONS = penjing.example("watermelon2.0")


def test_each_pruning_decision_says_where_its_node_is_now():
    whole = penjing.fit(MELONS, trace=True)
    once = whole.prune("pessimistic", confidence=0.5)
    twice = once.prune("cost-complexity", alpha=1.0)
    assert whole.n_leaves > once.n_leaves > twice.n_leaves
    for tree, n_records in ((once, 1), (twice, 2)):
        records = tree.about["pruning"]
        assert len(records) == n_records
        for record, before in zip(records, (whole, once), strict=False):
            text = pruning_text.decision_list(tree, record)
            measure = {"errors": "errors", "costs": "cost"}[pruning_text.measure_of(record)]
            for decision in record["decisions"]:
                road = [branch_text(before, n) for n in before.path(decision["node"])[1:]]
                here = [branch_text(tree, n) for n in tree.path(decision["now"])[1:]]
                assert here == road[: len(here)]  # itself, or what is left above it
                assert decision["is_gone"] == (len(here) < len(road))
                assert (
                    f"{decision['kept']:.6g}, {measure} as a leaf {decision['as_leaf']:.6g}: "
                    in text
                )


def test_a_very_deep_tree_is_pruned_with_its_decisions_followed():
    tree = chain(20_000)
    pruned = tree.prune("pessimistic")
    (record,) = pruned.about["pruning"]
    assert len(record["decisions"]) == 20_000
    assert {d["now"] for d in record["decisions"]} <= set(range(pruned.n_nodes))
    assert len(pruning_text.decision_list(pruned, record)) < 500 * 20_000
