"""The order in which a pruning decides nodes that may be put back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penjing.prune.bottom_up import UndecidedNodes

steps = st.lists(
    st.one_of(st.tuples(st.integers(0, 20), st.integers(0, 5)), st.sampled_from(["last", "all"]))
)


@given(steps)
def test_the_deepest_nodes_are_taken_first(steps):
    queue, depth_of = UndecidedNodes(), {}
    for step in steps:
        assert bool(queue) == bool(depth_of)
        if isinstance(step, tuple):
            if step[0] not in depth_of:
                depth_of[step[0]] = step[1]
                queue.add(*step)
        elif depth_of:
            deepest = max(depth_of.values())
            nodes = sorted(node for node, depth in depth_of.items() if depth == deepest)
            taken = [queue.take_last()] if step == "last" else queue.take_deepest()
            assert taken == (nodes[-1:] if step == "last" else nodes)
            for node in taken:
                del depth_of[node]
