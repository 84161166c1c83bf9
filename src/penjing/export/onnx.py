"""A tree as ONNX: plain operators on doubles, so that every cut is compared as it is.

The tree operators of ONNX hold cuts or answers in 32 bits, know no levels of texts, and cannot
ask a second test; a small loop of Gather and Where can. An input is one column: doubles (NaN is
missing) or strings ("" is missing). A tree that shares rows out is walked by all rows at all
nodes at once: the part of each row in each node, then one product with the nodes' shares.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.errors import CapabilityError
from penjing.export.plan import SHARE, STOP, Plan, plan_of, refuse_error
from penjing.tree.counts import TIE
from penjing.tree.tree_data import TreeData

MOST_TESTS = 20
MOST_CELLS = 10_000_000
"""Entries of the table from (test, level) to branch."""
MOST_SHARED = 3_000
"""Nodes of a tree that shares rows out: each row has a cell for each of them."""
LOST, NOWHERE = -2, -1


def write(tree: TreeData, *, missing: str | None = None, unseen: str | None = None) -> bytes:
    """Return a tree as the bytes of an ONNX model.

    Its inputs are the columns that the tree asks about, each of shape (rows,); its outputs are
    ``predicted`` and, for classes, ``probabilities``.

    Parameters
    ----------
    tree : TreeData
        The tree.
    missing, unseen : str, optional
        As `predict` takes them; else as the tree's recipe says.

    Examples
    --------
    >>> import penjing
    >>> len(write(penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}}))) > 0
    True
    """
    plan = plan_of(tree, "onnx", missing=missing, unseen=unseen)
    refuse_error(plan, "onnx")
    for c in plan.columns:
        if not plan.is_numeric(c) and "" in plan.texts(c):
            raise CapabilityError("export_empty_level", kind="onnx", column=plan.name(c))
    n_tests = max((len(ask.tests) for ask in plan.asks if ask), default=0)
    if n_tests > MOST_TESTS:
        raise CapabilityError("export_too_deep", kind="onnx", depth=n_tests, limit=MOST_TESTS)
    if plan.is_shared and len(plan.asks) > MOST_SHARED:
        raise CapabilityError("export_too_many", kind="onnx", n=len(plan.asks), limit=MOST_SHARED)
    return _Maker(plan).made()


class _Maker:
    """Puts a graph together; every name of ours starts with a mark that no column has."""

    def __init__(self, plan: Plan) -> None:
        try:
            import onnx  # noqa: PLC0415 - an extra
        except ImportError:
            raise CapabilityError("export_needs", kind="onnx", package="onnx") from None
        self._onnx: Any = onnx
        self._plan = plan
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._n = 0
        names = {plan.name(c) for c in plan.columns}
        self._mark = "penjing/"
        while any(name.startswith(self._mark) for name in names):
            self._mark += "/"
        self._taken = names

    def made(self) -> bytes:
        """Return the model."""
        h, plan = self._onnx.helper, self._plan
        cells = self._cells()
        if plan.is_shared:
            answer, shares = self._mixed(cells)
        else:
            node = self._walked(cells)
            answer = None
            if not plan.tree.is_regression:
                answer = self._gather(self._constant(plan.tree.values.astype(np.int64)), node)
            shares = self._gather(self._constant(np.ascontiguousarray(plan.shares)), node)
        outputs = self._outputs(answer, shares)
        graph = h.make_graph(
            self._nodes, "penjing", self._inputs, outputs, initializer=self._constants
        )
        opsets = [h.make_opsetid("", 17), h.make_opsetid("ai.onnx.ml", 2)]
        model = h.make_model(graph, opset_imports=opsets, producer_name="penjing", ir_version=8)
        return bytes(model.SerializeToString())

    # -- pieces ----------------------------------------------------------------------------

    def _name(self) -> str:
        self._n += 1
        return f"{self._mark}{self._n}"

    def _constant(self, value: npt.ArrayLike) -> str:
        name, array = self._name(), np.asarray(value)
        if array.dtype.kind in "OU":
            texts = [str(v).encode("utf-8") for v in array.ravel().tolist()]
            kind = self._onnx.TensorProto.STRING
            made = self._onnx.helper.make_tensor(name, kind, list(array.shape), texts)
        else:
            made = self._onnx.numpy_helper.from_array(array, name)
        self._constants.append(made)
        return name

    def _do(self, operator: str, *inputs: str, domain: str = "", **attributes: Any) -> str:  # noqa: ANN401
        name = self._name()
        make = self._onnx.helper.make_node
        self._nodes.append(make(operator, list(inputs), [name], domain=domain, **attributes))
        return name

    def _gather(self, table: str, places: str, axis: int = 0) -> str:
        return self._do("Gather", table, places, axis=axis)

    def _cells(self) -> str:
        """Return the rows as doubles, (rows, columns): numbers, or the codes of levels."""
        h, kinds, plan = self._onnx.helper, self._onnx.TensorProto, self._plan
        parts = []
        one = self._constant(np.array([1], np.int64))
        for c in plan.columns:
            name = plan.name(c) or f"{self._mark}column"
            if plan.is_numeric(c):
                self._inputs.append(h.make_tensor_value_info(name, kinds.DOUBLE, ["rows"]))
                parts.append(self._do("Unsqueeze", name, one))
                continue
            self._inputs.append(h.make_tensor_value_info(name, kinds.STRING, ["rows"]))
            keys = [text.encode("utf-8") for text in ["", *plan.texts(c)]]
            codes = self._do(
                "LabelEncoder", name, domain="ai.onnx.ml", keys_strings=keys,
                values_int64s=list(range(-1, len(keys) - 1)),
                default_int64=-1 if plan.unseen == "missing" else -2,
            )  # fmt: skip
            cast = self._do("Cast", codes, to=kinds.DOUBLE)
            parts.append(self._do("Unsqueeze", cast, one))
        if not parts:  # a tree that asks nothing still needs to know how many rows there are
            name = f"{self._mark}rows"
            self._inputs.append(h.make_tensor_value_info(name, kinds.DOUBLE, ["rows"]))
            parts.append(self._do("Unsqueeze", name, one))
        return self._do("Concat", *parts, axis=1)

    def _tests(self, slot: int) -> tuple[dict[str, npt.NDArray[Any]], npt.NDArray[np.int64]]:
        """Return the tests that stand at one place of their nodes, and their levels' branches."""
        plan = self._plan
        place = {c: i for i, c in enumerate(plan.columns)}
        n = len(plan.asks)
        column, below, base = (np.zeros(n, np.int64) for _ in range(3))
        cut = np.full(n, math.nan)
        odd = np.full(n, LOST if slot else NOWHERE, np.int64)
        has = np.zeros(n, bool)
        dense: list[npt.NDArray[np.int64]] = [np.zeros(1, np.int64)]
        size = 1
        for node, ask in enumerate(plan.asks):
            if ask is None or slot >= len(ask.tests):
                continue
            test = ask.tests[slot]
            column[node], has[node] = place[test.column], True
            if test.cut is not None:
                cut[node], below[node] = test.cut, test.below
                continue
            row = np.full(max(len(plan.levels(test.column)), 1), LOST if slot else NOWHERE)
            for branch, codes in enumerate(test.groups):
                row[list(codes)] = branch
            row[list(test.lost)] = LOST
            base[node] = size
            odd[node] = odd[node] if test.odd == STOP else test.odd
            dense.append(row.astype(np.int64))
            size += len(row)
            if size > MOST_CELLS:
                raise CapabilityError("export_too_many", kind="onnx", n=size, limit=MOST_CELLS)
        told = {"column": column, "below": below, "base": base, "odd": odd, "cut": cut, "has": has}
        return told, np.concatenate(dense)

    def _asked(self, value: str, told: dict[str, str], dense: str) -> str:
        """Return the branch of values at tests, LOST or NOWHERE; any shape."""
        kinds = self._onnx.TensorProto
        zero, lost = self._constant(np.int64(0)), self._constant(np.int64(LOST))
        one, nowhere = self._constant(np.int64(1)), self._constant(np.int64(NOWHERE))
        is_low = self._do("LessOrEqual", value, told["cut"])
        other = self._do("Sub", one, told["below"])
        by_cut = self._do("Where", is_low, told["below"], other)
        gone = self._do("IsNaN", value)
        by_cut = self._do("Where", gone, lost, by_cut)
        # numbers have no code, and a leaf asks about nothing: neither may look one up
        is_level = self._do("And", told["has"], self._do("IsNaN", told["cut"]))
        nothing = self._constant(np.float64(-1.0))
        safe = self._do("Where", is_level, value, nothing)
        code = self._do("Cast", self._do("Where", gone, nothing, safe), to=kinds.INT64)
        place = self._do("Add", told["base"], self._do("Max", code, zero))
        by_level = self._gather(dense, place)
        is_known = self._do("GreaterOrEqual", code, zero)
        is_odd = self._do("Less", code, nowhere)
        # a level that nobody knows ends the walk at a node's own test, but where any value will do,
        # and is lost at others
        unknown = self._do("Where", is_odd, told["odd"], lost)
        by_level = self._do("Where", is_known, by_level, unknown)
        found = self._do("Where", is_level, by_level, by_cut)
        return self._do("Where", told["has"], found, lost)

    # -- rows that stop in one node --------------------------------------------------------

    def _walked(self, cells: str) -> str:
        """Return the node where each row stops, by a loop over the depth."""
        h, kinds, plan = self._onnx.helper, self._onnx.TensorProto, self._plan
        shape = self._do("Shape", cells, start=0, end=1)
        start = self._do("ConstantOfShape", shape, value=self._zero())
        if plan.tree.depth == 0:
            return start
        n_tests = max(len(ask.tests) for ask in plan.asks if ask)
        slots = [self._tests(slot) for slot in range(n_tests)]
        tables = [
            ({key: self._constant(v) for key, v in told.items()}, self._constant(dense))
            for told, dense in slots
        ]
        last = [STOP if ask is None else ask.last for ask in plan.asks]
        first = [0 if ask is None else ask.children.start for ask in plan.asks]
        lasts = self._constant(np.asarray(last, np.int64))
        firsts = self._constant(np.asarray(first, np.int64))
        outside, self._nodes = self._nodes, []
        inside = {key: f"{self._mark}{key}" for key in ("turn", "goes", "node", "goes_on", "next")}
        branch = self._step(cells, inside["node"], tables, lasts)
        zero = self._constant(np.int64(0))
        moves = self._do("GreaterOrEqual", branch, zero)
        child = self._do("Add", self._gather(firsts, inside["node"]), branch)
        make = h.make_node
        self._nodes += [
            make("Where", [moves, child, inside["node"]], [inside["next"]]),
            make("Identity", [inside["goes"]], [inside["goes_on"]]),
        ]
        body = h.make_graph(
            self._nodes,
            "step",
            [
                h.make_tensor_value_info(inside["turn"], kinds.INT64, []),
                h.make_tensor_value_info(inside["goes"], kinds.BOOL, []),
                h.make_tensor_value_info(inside["node"], kinds.INT64, ["rows"]),
            ],
            [
                h.make_tensor_value_info(inside["goes_on"], kinds.BOOL, []),
                h.make_tensor_value_info(inside["next"], kinds.INT64, ["rows"]),
            ],
        )
        self._nodes = outside
        turns = self._constant(np.int64(plan.tree.depth))
        return self._do("Loop", turns, self._constant(np.bool_(True)), start, body=body)

    def _step(self, cells: str, node: str, tables: list[Any], lasts: str) -> str:
        """Return the branch of each row: by the first test that knows it, or the last resort."""
        found = self._gather(lasts, node)
        lost = self._constant(np.int64(LOST))
        one = self._constant(np.array([1], np.int64))
        for slot in range(len(tables) - 1, -1, -1):
            told, dense = tables[slot]
            here = {key: self._gather(name, node) for key, name in told.items()}
            place = self._do("Unsqueeze", here["column"], one)
            value = self._do("Squeeze", self._do("GatherElements", cells, place, axis=1), one)
            branch = self._asked(value, here, dense)
            found = self._do("Where", self._do("Equal", branch, lost), found, branch)
        return found

    # -- rows that are shared out ----------------------------------------------------------

    def _mixed(self, cells: str) -> tuple[str | None, str]:
        """Return the class of each row and its shares, in a tree that shares rows out."""
        plan, kinds = self._plan, self._onnx.TensorProto
        n = len(plan.asks)
        told, dense = self._tests(0)
        parent = np.maximum(np.asarray(plan.tree.nodes.parent, np.int64), 0)
        which = np.arange(n) - np.asarray(plan.tree.first_child)[parent]
        which[0] = -9
        shares_out = np.array([ask is not None and ask.last == SHARE for ask in plan.asks])
        names = {key: self._constant(value) for key, value in told.items()}
        value = self._gather(cells, names["column"], axis=1)
        branch = self._asked(value, names, self._constant(dense))
        is_lost = self._do("Equal", branch, self._constant(np.int64(LOST)))
        is_shared = self._do("And", is_lost, self._constant(shares_out))
        one, none = self._constant(np.float64(1.0)), self._constant(np.float64(0.0))
        ups = self._constant(parent)
        up_branch = self._gather(branch, ups, axis=1)
        up_shared = self._gather(is_shared, ups, axis=1)
        share = self._constant(np.asarray(plan.share))
        part = self._do("Where", up_shared, share, none)
        taken = self._do("Equal", up_branch, self._constant(which.astype(np.int64)))
        part = self._do("Where", taken, one, part)
        part = self._do("Where", self._constant(np.arange(n) == 0), one, part)
        reach = self._reached(part, ups)
        moves = self._do("GreaterOrEqual", branch, self._constant(np.int64(0)))
        leaves = self._do("Or", moves, is_shared)
        stays = self._do("Where", leaves, none, one)
        stopped = self._do("Mul", reach, stays)
        shares = self._do("MatMul", stopped, self._constant(np.ascontiguousarray(plan.shares)))
        if plan.tree.is_regression:
            return None, shares
        most = self._do("ReduceMax", stopped, axes=[1], keepdims=0)
        is_alone = self._do("Equal", most, one)
        node = self._do("ArgMax", stopped, axis=1, keepdims=0)
        alone = self._gather(self._constant(plan.tree.values.astype(np.int64)), node)
        found = self._best(shares)
        number = self._do("Cast", self._do("ArgMax", found, axis=1, keepdims=0), to=kinds.INT64)
        return self._do("Where", is_alone, alone, number), shares

    def _reached(self, part: str, ups: str) -> str:
        """Return the part of each row that reaches each node: products along the paths."""
        found = part
        for _ in range(max(self._plan.tree.depth - 1, 0)):
            found = self._do("Mul", part, self._gather(found, ups, axis=1))
        return found

    def _best(self, shares: str) -> str:
        """Return 1 for the classes that are as likely, or as cheap, as the best one; else 0."""
        costs, kinds = self._plan.costs, self._onnx.TensorProto
        tie = self._constant(np.float64(TIE))
        if costs is None:
            most = self._do("ReduceMax", shares, axes=[1], keepdims=1)
            good = self._do("GreaterOrEqual", shares, self._do("Sub", most, tie))
        else:
            loss = np.asarray(costs.loss) * np.asarray(costs.factor)[:, None]
            risks = self._do("MatMul", shares, self._constant(loss))
            slack = self._do("Mul", tie, self._do("ReduceMax", risks, axes=[1], keepdims=1))
            least = self._do("ReduceMin", risks, axes=[1], keepdims=1)
            good = self._do("LessOrEqual", risks, self._do("Add", least, slack))
        return self._do("Cast", good, to=kinds.FLOAT)

    # -- the end ---------------------------------------------------------------------------

    def _zero(self) -> Any:  # noqa: ANN401 - a tensor
        return self._onnx.numpy_helper.from_array(np.zeros(1, np.int64))

    def _outputs(self, answer: str | None, shares: str) -> list[Any]:
        h, kinds, plan = self._onnx.helper, self._onnx.TensorProto, self._plan
        names = []
        for name in ("predicted", "probabilities"):
            while name in self._taken:
                name += "_"  # noqa: PLW2901
            names.append(name)
        make = h.make_node
        if answer is None:
            flat = self._constant(np.array([-1], np.int64))
            self._nodes.append(make("Reshape", [shares, flat], [names[0]]))
            return [h.make_tensor_value_info(names[0], kinds.DOUBLE, ["rows"])]
        kind, classes = self._classes()
        table = self._constant(classes)
        self._nodes.append(make("Gather", [table, answer], [names[0]], axis=0))
        self._nodes.append(make("Identity", [shares], [names[1]]))
        width = len(plan.classes)
        return [
            h.make_tensor_value_info(names[0], kind, ["rows"]),
            h.make_tensor_value_info(names[1], kinds.DOUBLE, ["rows", width]),
        ]

    def _classes(self) -> tuple[Any, npt.NDArray[Any]]:
        kinds, classes = self._onnx.TensorProto, self._plan.tree.classes
        is_whole = all(isinstance(c, int) and not isinstance(c, bool) for c in classes)
        if is_whole and all(abs(int(c)) < 2**62 for c in classes):
            return kinds.INT64, np.asarray(classes, np.int64)
        return kinds.STRING, np.asarray(self._plan.classes, object)
