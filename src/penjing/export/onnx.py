"""A tree as ONNX, with basic operators on doubles, so that thresholds are compared exactly.

The tree operators of ONNX hold thresholds or predictions in 32 bits and support neither text
categories nor surrogates; a small loop of Gather and Where does. Each input is one column: doubles
(NaN is missing) or strings ("" is missing). With fractional cases there is no loop: the fraction
of each row in each node is multiplied by the class probabilities of the nodes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.errors import CapabilityError
from penjing.export.plan import FRACTION, STOP, Plan, build_plan, refuse_unseen_error
from penjing.tree.counts import TIE
from penjing.tree.tree_data import TreeData

MAX_TESTS = 20
MAX_CELLS = 10_000_000
"""Maximum size of the table that maps (test, category) to a branch."""
MAX_FRACTION_NODES = 3_000
"""Maximum number of nodes with fractional cases: each row has a number for each node."""
AS_MISSING, NO_BRANCH = -2, -1


def write(tree: TreeData, *, missing: str | None = None, unseen: str | None = None) -> bytes:
    """Return a tree as the bytes of an ONNX model.

    Its inputs are the columns that the tree uses, each of shape (rows,); its outputs are
    ``predicted`` and, for classes, ``probabilities``.

    Parameters
    ----------
    tree : TreeData
        The tree.
    missing, unseen : str, optional
        As for `predict`; default: those of the tree's recipe.

    Examples
    --------
    >>> import penjing
    >>> len(write(penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}}))) > 0
    True
    """
    plan = build_plan(tree, "onnx", missing=missing, unseen=unseen)
    refuse_unseen_error(plan, "onnx")
    for c in plan.columns:
        if not plan.is_numeric(c) and "" in plan.texts(c):
            raise CapabilityError("export_empty_level", kind="onnx", column=plan.name(c))
    if plan.n_tests > MAX_TESTS:
        raise CapabilityError("export_too_deep", kind="onnx", depth=plan.n_tests, limit=MAX_TESTS)
    if plan.has_fractions and len(plan.splits) > MAX_FRACTION_NODES:
        raise CapabilityError(
            "export_too_many", kind="onnx", n=len(plan.splits), limit=MAX_FRACTION_NODES
        )
    return _GraphBuilder(plan).build()


class _GraphBuilder:
    """Builds the graph; its names start with a prefix that no column has."""

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
        self._prefix = "penjing/"
        while any(name.startswith(self._prefix) for name in names):
            self._prefix += "/"
        self._column_names = names

    def build(self) -> bytes:
        """Return the model."""
        h, plan = self._onnx.helper, self._plan
        cells = self._cells()
        if plan.has_fractions:
            class_codes, probabilities = self._fractional(cells)
        else:
            node = self._stop_nodes(cells)
            class_codes = None
            if not plan.tree.is_regression:
                class_codes = self._gather(self._constant(plan.tree.values.astype(np.int64)), node)
            probabilities = self._gather(
                self._constant(np.ascontiguousarray(plan.probabilities)), node
            )
        outputs = self._outputs(class_codes, probabilities)
        graph = h.make_graph(
            self._nodes, "penjing", self._inputs, outputs, initializer=self._constants
        )
        opsets = [h.make_opsetid("", 17), h.make_opsetid("ai.onnx.ml", 2)]
        model = h.make_model(graph, opset_imports=opsets, producer_name="penjing", ir_version=8)
        return bytes(model.SerializeToString())

    # -- elements --------------------------------------------------------------------------

    def _name(self) -> str:
        self._n += 1
        return f"{self._prefix}{self._n}"

    def _constant(self, value: npt.ArrayLike) -> str:
        name, array = self._name(), np.asarray(value)
        if array.dtype.kind in "OU":
            texts = [str(v).encode("utf-8") for v in array.ravel().tolist()]
            kind = self._onnx.TensorProto.STRING
            tensor = self._onnx.helper.make_tensor(name, kind, list(array.shape), texts)
        else:
            tensor = self._onnx.numpy_helper.from_array(array, name)
        self._constants.append(tensor)
        return name

    def _add_node(self, operator: str, *inputs: str, domain: str = "", **attributes: Any) -> str:  # noqa: ANN401
        name = self._name()
        make = self._onnx.helper.make_node
        self._nodes.append(make(operator, list(inputs), [name], domain=domain, **attributes))
        return name

    def _gather(self, table: str, places: str, axis: int = 0) -> str:
        return self._add_node("Gather", table, places, axis=axis)

    def _cells(self) -> str:
        """Return the rows as doubles, (rows, columns): numbers, or the codes of categories."""
        h, kinds, plan = self._onnx.helper, self._onnx.TensorProto, self._plan
        parts = []
        one = self._constant(np.array([1], np.int64))
        for c in plan.columns:
            name = plan.name(c) or f"{self._prefix}column"
            if plan.is_numeric(c):
                self._inputs.append(h.make_tensor_value_info(name, kinds.DOUBLE, ["rows"]))
                parts.append(self._add_node("Unsqueeze", name, one))
                continue
            self._inputs.append(h.make_tensor_value_info(name, kinds.STRING, ["rows"]))
            keys = [text.encode("utf-8") for text in ["", *plan.texts(c)]]
            codes = self._add_node(
                "LabelEncoder", name, domain="ai.onnx.ml", keys_strings=keys,
                values_int64s=list(range(-1, len(keys) - 1)),
                default_int64=-1 if plan.unseen == "missing" else -2,
            )  # fmt: skip
            cast = self._add_node("Cast", codes, to=kinds.DOUBLE)
            parts.append(self._add_node("Unsqueeze", cast, one))
        if not parts:  # a single leaf still needs the number of rows
            name = f"{self._prefix}rows"
            self._inputs.append(h.make_tensor_value_info(name, kinds.DOUBLE, ["rows"]))
            parts.append(self._add_node("Unsqueeze", name, one))
        return self._add_node("Concat", *parts, axis=1)

    def _tests(self, slot: int) -> tuple[dict[str, npt.NDArray[Any]], npt.NDArray[np.int64]]:
        """Return the tests in one slot of all nodes, and the branches of their categories.

        Slot 0 has the splits, the others have surrogates.
        """
        plan = self._plan
        position = {c: i for i, c in enumerate(plan.columns)}
        n = len(plan.splits)
        column, below, base = (np.zeros(n, np.int64) for _ in range(3))
        cut = np.full(n, math.nan)
        unseen_branch = np.full(n, AS_MISSING if slot else NO_BRANCH, np.int64)
        has_test = np.zeros(n, bool)
        branch_table: list[npt.NDArray[np.int64]] = [np.zeros(1, np.int64)]
        size = 1
        for node, split in enumerate(plan.splits):
            if split is None or slot >= len(split.tests):
                continue
            test = split.tests[slot]
            column[node], has_test[node] = position[test.column], True
            if test.cut is not None:
                cut[node], below[node] = test.cut, test.below
                continue
            row = np.full(max(len(plan.levels(test.column)), 1), AS_MISSING if slot else NO_BRANCH)
            for branch, codes in enumerate(test.groups):
                row[list(codes)] = branch
            row[list(test.as_missing)] = AS_MISSING
            base[node] = size
            unseen_branch[node] = (
                unseen_branch[node] if test.unseen_branch == STOP else test.unseen_branch
            )
            branch_table.append(row.astype(np.int64))
            size += len(row)
            if size > MAX_CELLS:
                raise CapabilityError("export_too_many", kind="onnx", n=size, limit=MAX_CELLS)
        tests = {
            "column": column,
            "below": below,
            "base": base,
            "unseen": unseen_branch,
            "cut": cut,
            "has": has_test,
        }
        return tests, np.concatenate(branch_table)

    def _branch_of_values(self, value: str, tests: dict[str, str], branch_table: str) -> str:
        """Return the branches of values, AS_MISSING or NO_BRANCH; for arrays of any shape."""
        kinds = self._onnx.TensorProto
        zero, as_missing = self._constant(np.int64(0)), self._constant(np.int64(AS_MISSING))
        one, no_branch = self._constant(np.int64(1)), self._constant(np.int64(NO_BRANCH))
        is_low = self._add_node("LessOrEqual", value, tests["cut"])
        other = self._add_node("Sub", one, tests["below"])
        by_cut = self._add_node("Where", is_low, tests["below"], other)
        is_missing = self._add_node("IsNaN", value)
        by_cut = self._add_node("Where", is_missing, as_missing, by_cut)
        # Numbers and leaves have no code, so they must not look one up.
        is_level = self._add_node("And", tests["has"], self._add_node("IsNaN", tests["cut"]))
        no_code = self._constant(np.float64(-1.0))
        code_or_none = self._add_node("Where", is_level, value, no_code)
        code = self._add_node(
            "Cast", self._add_node("Where", is_missing, no_code, code_or_none), to=kinds.INT64
        )
        position = self._add_node("Add", tests["base"], self._add_node("Max", code, zero))
        by_level = self._gather(branch_table, position)
        is_known = self._add_node("GreaterOrEqual", code, zero)
        is_unseen = self._add_node("Less", code, no_branch)
        # An unseen category ends the walk at a split, unless any known value selects a branch;
        # at a surrogate it counts as missing.
        unknown = self._add_node("Where", is_unseen, tests["unseen"], as_missing)
        by_level = self._add_node("Where", is_known, by_level, unknown)
        branch = self._add_node("Where", is_level, by_level, by_cut)
        return self._add_node("Where", tests["has"], branch, as_missing)

    # -- each row stops in one node --------------------------------------------------------

    def _stop_nodes(self, cells: str) -> str:
        """Return the node where each row stops, by a loop over the depth."""
        h, kinds, plan = self._onnx.helper, self._onnx.TensorProto, self._plan
        shape = self._add_node("Shape", cells, start=0, end=1)
        start = self._add_node("ConstantOfShape", shape, value=self._zero())
        if plan.tree.depth == 0:
            return start
        slots = [self._tests(slot) for slot in range(plan.n_tests)]
        tables = [
            ({key: self._constant(v) for key, v in tests.items()}, self._constant(branch_table))
            for tests, branch_table in slots
        ]
        fallback = [STOP if split is None else split.fallback for split in plan.splits]
        first_child = [0 if split is None else split.children.start for split in plan.splits]
        fallbacks = self._constant(np.asarray(fallback, np.int64))
        first_children = self._constant(np.asarray(first_child, np.int64))
        outer_nodes, self._nodes = self._nodes, []
        loop_names = {
            key: f"{self._prefix}{key}" for key in ("turn", "goes", "node", "goes_on", "next")
        }
        branch = self._step(cells, loop_names["node"], tables, fallbacks)
        zero = self._constant(np.int64(0))
        moves = self._add_node("GreaterOrEqual", branch, zero)
        child = self._add_node("Add", self._gather(first_children, loop_names["node"]), branch)
        make = h.make_node
        self._nodes += [
            make("Where", [moves, child, loop_names["node"]], [loop_names["next"]]),
            make("Identity", [loop_names["goes"]], [loop_names["goes_on"]]),
        ]
        body = h.make_graph(
            self._nodes,
            "step",
            [
                h.make_tensor_value_info(loop_names["turn"], kinds.INT64, []),
                h.make_tensor_value_info(loop_names["goes"], kinds.BOOL, []),
                h.make_tensor_value_info(loop_names["node"], kinds.INT64, ["rows"]),
            ],
            [
                h.make_tensor_value_info(loop_names["goes_on"], kinds.BOOL, []),
                h.make_tensor_value_info(loop_names["next"], kinds.INT64, ["rows"]),
            ],
        )
        self._nodes = outer_nodes
        max_iterations = self._constant(np.int64(plan.tree.depth))
        return self._add_node(
            "Loop", max_iterations, self._constant(np.bool_(True)), start, body=body
        )

    def _step(self, cells: str, node: str, tables: list[Any], fallbacks: str) -> str:
        """Return the branch of each row: that of the first test that decides, or the fallback."""
        selected = self._gather(fallbacks, node)
        as_missing = self._constant(np.int64(AS_MISSING))
        one = self._constant(np.array([1], np.int64))
        for slot in range(len(tables) - 1, -1, -1):
            tests, branch_table = tables[slot]
            node_tests = {key: self._gather(name, node) for key, name in tests.items()}
            position = self._add_node("Unsqueeze", node_tests["column"], one)
            value = self._add_node(
                "Squeeze", self._add_node("GatherElements", cells, position, axis=1), one
            )
            branch = self._branch_of_values(value, node_tests, branch_table)
            selected = self._add_node(
                "Where", self._add_node("Equal", branch, as_missing), selected, branch
            )
        return selected

    # -- fractional cases ------------------------------------------------------------------

    def _fractional(self, cells: str) -> tuple[str | None, str]:
        """Return the class code and the probabilities of each row, with fractional cases."""
        plan, kinds = self._plan, self._onnx.TensorProto
        n = len(plan.splits)
        tests, branch_table = self._tests(0)
        parent = np.maximum(np.asarray(plan.tree.nodes.parent, np.int64), 0)
        branch_index = np.arange(n) - np.asarray(plan.tree.first_child)[parent]
        branch_index[0] = -9
        splits_rows = np.array(
            [split is not None and split.fallback == FRACTION for split in plan.splits]
        )
        names = {key: self._constant(value) for key, value in tests.items()}
        value = self._gather(cells, names["column"], axis=1)
        branch = self._branch_of_values(value, names, self._constant(branch_table))
        is_missing_value = self._add_node("Equal", branch, self._constant(np.int64(AS_MISSING)))
        goes_to_all = self._add_node("And", is_missing_value, self._constant(splits_rows))
        one, none = self._constant(np.float64(1.0)), self._constant(np.float64(0.0))
        parents = self._constant(parent)
        parent_branch = self._gather(branch, parents, axis=1)
        parent_has_fractions = self._gather(goes_to_all, parents, axis=1)
        fractions = self._constant(np.asarray(plan.fractions))
        fraction = self._add_node("Where", parent_has_fractions, fractions, none)
        is_taken = self._add_node(
            "Equal", parent_branch, self._constant(branch_index.astype(np.int64))
        )
        fraction = self._add_node("Where", is_taken, one, fraction)
        fraction = self._add_node("Where", self._constant(np.arange(n) == 0), one, fraction)
        reached_fraction = self._path_products(fraction, parents)
        moves = self._add_node("GreaterOrEqual", branch, self._constant(np.int64(0)))
        moves_on = self._add_node("Or", moves, goes_to_all)
        stop_share = self._add_node("Where", moves_on, none, one)
        stop_fraction = self._add_node("Mul", reached_fraction, stop_share)
        probabilities = self._add_node(
            "MatMul", stop_fraction, self._constant(np.ascontiguousarray(plan.probabilities))
        )
        if plan.tree.is_regression:
            return None, probabilities
        largest = self._add_node("ReduceMax", stop_fraction, axes=[1], keepdims=0)
        is_single = self._add_node("Equal", largest, one)
        node = self._add_node("ArgMax", stop_fraction, axis=1, keepdims=0)
        single_class = self._gather(self._constant(plan.tree.values.astype(np.int64)), node)
        best = self._best_classes(probabilities)
        number = self._add_node(
            "Cast", self._add_node("ArgMax", best, axis=1, keepdims=0), to=kinds.INT64
        )
        return self._add_node("Where", is_single, single_class, number), probabilities

    def _path_products(self, fraction: str, parents: str) -> str:
        """Return the fraction of each row that reaches each node: products along the paths."""
        product = fraction
        for _ in range(max(self._plan.tree.depth - 1, 0)):
            product = self._add_node("Mul", fraction, self._gather(product, parents, axis=1))
        return product

    def _best_classes(self, probabilities: str) -> str:
        """Return 1 for the best classes (highest probability or lowest cost, with ties), else 0."""
        costs, kinds = self._plan.costs, self._onnx.TensorProto
        tie = self._constant(np.float64(TIE))
        if costs is None:
            largest = self._add_node("ReduceMax", probabilities, axes=[1], keepdims=1)
            is_best = self._add_node(
                "GreaterOrEqual", probabilities, self._add_node("Sub", largest, tie)
            )
        else:
            loss = np.asarray(costs.loss) * np.asarray(costs.factor)[:, None]
            risks = self._add_node("MatMul", probabilities, self._constant(loss))
            slack = self._add_node(
                "Mul", tie, self._add_node("ReduceMax", risks, axes=[1], keepdims=1)
            )
            least = self._add_node("ReduceMin", risks, axes=[1], keepdims=1)
            is_best = self._add_node("LessOrEqual", risks, self._add_node("Add", least, slack))
        return self._add_node("Cast", is_best, to=kinds.FLOAT)

    # -- outputs ---------------------------------------------------------------------------

    def _zero(self) -> Any:  # noqa: ANN401 - a tensor
        return self._onnx.numpy_helper.from_array(np.zeros(1, np.int64))

    def _outputs(self, class_codes: str | None, probabilities: str) -> list[Any]:
        h, kinds, plan = self._onnx.helper, self._onnx.TensorProto, self._plan
        names = []
        for name in ("predicted", "probabilities"):
            while name in self._column_names:
                name += "_"  # noqa: PLW2901
            names.append(name)
        make = h.make_node
        if class_codes is None:
            flat = self._constant(np.array([-1], np.int64))
            self._nodes.append(make("Reshape", [probabilities, flat], [names[0]]))
            return [h.make_tensor_value_info(names[0], kinds.DOUBLE, ["rows"])]
        kind, classes = self._classes()
        table = self._constant(classes)
        self._nodes.append(make("Gather", [table, class_codes], [names[0]], axis=0))
        self._nodes.append(make("Identity", [probabilities], [names[1]]))
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
