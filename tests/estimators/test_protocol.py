"""Estimators at work: pipelines, searches, frames, weights, state, refusals."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

import joblib
import pandas as pd
import polars as pl
import pyarrow as pa
import sklearn
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import penjing
from penjing.errors import CapabilityError, ChoiceError, DataError

MELONS = {
    "texture": ["clear", "clear", "faint", None, "faint", "blurry"] * 8,
    "density": [0.7, 0.6, 0.4, 0.5, None, 0.2] * 8,
    "spots": [1, 2, 3, 4, 5, 6] * 8,
    "hard": [True, False, True, None, False, False] * 8,
    "size": ["S", "M", "L", "S", "M", "L"] * 8,
}
RIPE = np.array(["yes", "yes", "no", "yes", "no", "no"] * 8)


def pandas_frame():
    frame = pd.DataFrame(MELONS)
    frame["size"] = pd.Categorical(frame["size"], ["S", "M", "L"], ordered=True)
    return frame.astype({"spots": "Int64"})


def polars_frame():
    return pl.DataFrame(MELONS).with_columns(pl.col("size").cast(pl.Enum(["S", "M", "L"])))


FRAMES = {"pandas": pandas_frame, "polars": polars_frame, "pyarrow": lambda: pa.table(MELONS)}
TOLERANT = (
    penjing.C45Classifier(),
    penjing.CARTClassifier(min_samples_split=4),
    penjing.TreeClassifier("j48"),
    penjing.TreeClassifier("cart-binary", missing="fraction"),
    penjing.ID3Classifier(missing="fraction"),
)


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("model", TOLERANT, ids=lambda m: type(m).__name__)
def test_columns_of_frames_are_taken_as_they_are(kind, model):
    frame = FRAMES[kind]()
    model = clone(model).fit(frame, RIPE)
    assert model.feature_names_in_.tolist() == list(MELONS)
    assert model.n_features_in_ == 5
    kinds = {field.name: field.kind for field in model.tree_.schema}
    assert (kinds["texture"], kinds["density"], kinds["spots"]) == ("nominal", "numeric", "numeric")
    assert kinds["hard"] == "nominal"
    assert kinds["size"] == ("ordered" if kind == "pandas" else "nominal")
    assert model.score(frame, RIPE) == 1.0
    assert model.predict(frame).dtype == RIPE.dtype
    np.testing.assert_allclose(model.predict_proba(frame).sum(axis=1), 1.0)


@pytest.mark.parametrize("model", TOLERANT, ids=lambda m: type(m).__name__)
def test_an_array_of_anything_is_a_frame_without_names(model):
    rows = np.array(pandas_frame().astype(object).where(pandas_frame().notna(), None), object)
    one = clone(model).fit(rows, RIPE)
    assert not hasattr(one, "feature_names_in_")
    assert one.score(rows, RIPE) == 1.0
    assert one.score(rows.tolist(), RIPE) == 1.0
    assert one.tree_.schema[0].name == "x1"


@pytest.mark.parametrize("kind", FRAMES)
def test_columns_out_of_order_are_refused(kind):
    frame = FRAMES[kind]()
    model = penjing.C45Classifier().fit(frame, RIPE)
    back = list(MELONS)[::-1]
    turned = frame.select(back) if kind != "pandas" else frame[back]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(turned)


@pytest.mark.parametrize(
    "answers",
    [
        pd.Series(RIPE, name="ripe"),
        pd.Series(RIPE, dtype="string"),
        pd.Series(pd.Categorical(RIPE)),
        pl.Series("ripe", RIPE),
        pl.Series("ripe", RIPE).cast(pl.Categorical),
        pa.chunked_array([RIPE.tolist()]),
        RIPE.tolist(),
        RIPE.astype(object),
    ],
    ids=lambda y: f"{type(y).__module__.partition('.')[0]}-{getattr(y, 'dtype', type(y).__name__)}",
)
def test_answers_of_every_kind(answers):
    numbers = np.array(MELONS["spots"], float)[:, None]
    for model in (penjing.C45Classifier(), penjing.DecisionTreeClassifier()):
        found = model.fit(numbers, answers)
        assert found.classes_.tolist() == ["no", "yes"]
        assert found.predict(numbers).tolist() == RIPE.tolist()


@pytest.mark.parametrize("y", [RIPE == "yes", np.where(RIPE == "yes", 2.0, 1.0)])
def test_classes_keep_their_type(y):
    numbers = np.array(MELONS["spots"], float)[:, None]
    found = penjing.C45Classifier().fit(numbers, y)
    assert found.predict(numbers).dtype == y.dtype
    assert (found.predict(numbers) == y).all()


def test_a_frame_that_is_not_computed_yet():
    lazy = polars_frame().lazy()
    assert penjing.C45Classifier().fit(lazy, RIPE).score(polars_frame(), RIPE) == 1.0


def test_processes_share_the_work():
    x, y = load_iris(return_X_y=True)
    grid = {"confidence": [0.1, 0.25]}
    search = GridSearchCV(penjing.C45Classifier(), grid, n_jobs=2, cv=3).fit(x, y)
    assert search.best_score_ > 0.9


def test_a_criterion_of_ones_own():
    def mistakes(counts):
        return 1 - (counts / counts.sum(axis=-1, keepdims=True)).max(axis=-1)

    x, y = load_iris(return_X_y=True)
    model = penjing.ID3Classifier(criterion=mistakes, max_depth=3).fit(x, y)
    assert model.score(x, y) > 0.95
    assert model.tree_.recipe["criterion"] == "mistakes"


def test_levels_never_seen_go_by_the_recipe():
    model = penjing.ID3Classifier().fit([["a"], ["b"]], ["x", "y"])
    assert model.predict([["c"]]).tolist() == ["x"]
    strict = penjing.ID3Classifier(unseen="error").fit([["a"], ["b"]], ["x", "y"])
    with pytest.raises(DataError, match="does not occur in the training rows"):
        strict.predict([["c"]])


def test_a_search_over_recipes_and_prunings_in_a_pipeline():
    x, y = load_breast_cancer(return_X_y=True)
    piped = Pipeline([("scale", StandardScaler()), ("tree", penjing.TreeClassifier())])
    piped.set_output(transform="pandas")
    grid = [
        {"tree__recipe": ["cart-binary", "c4.5", "j48"], "tree__max_depth": [2, 5]},
        {
            "tree__recipe": ["id3"],
            "tree__prune": ["reduced-error"],
            "tree__validation_fraction": [0.25],
        },
        {"tree__recipe": ["id3"], "tree__prune": ["pessimistic"]},
        {"tree__recipe": ["cart-binary"], "tree__ccp_alpha": [0.005, 0.05]},
    ]
    search = GridSearchCV(piped, grid, cv=3, error_score="raise").fit(x, y)
    assert len(search.cv_results_["params"]) == 10
    assert search.best_score_ > 0.9
    best = search.best_estimator_["tree"]
    assert best.feature_names_in_[0] == "x0"
    assert best.tree_.n_leaves == best.get_n_leaves()


def test_cross_validation_and_regression():
    x, y = load_diabetes(return_X_y=True)
    for model in (penjing.CARTRegressor(), penjing.TreeRegressor("sklearn", max_depth=3)):
        assert cross_val_score(model, x, y, cv=4).mean() > 0.2


def test_mixed_columns_go_through_a_column_transformer():
    frame = pandas_frame()
    change = make_column_transformer((StandardScaler(), ["spots"]), remainder="passthrough")
    change.set_output(transform="pandas")
    piped = make_pipeline(change, penjing.C45Classifier()).fit(frame, RIPE)
    assert piped.score(frame, RIPE) == 1.0


@pytest.mark.parametrize(
    "model",
    [
        penjing.ID3Classifier(),
        penjing.C45Classifier(),
        penjing.CARTClassifier(),
        penjing.TreeClassifier("sklearn"),
        penjing.DecisionTreeClassifier(),
    ],
    ids=lambda m: type(m).__name__,
)
def test_what_a_fitted_classifier_has(model, tmp_path):
    x, y = load_iris(return_X_y=True)
    model = clone(model).fit(x, y)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    ends = model.apply(x)
    path = model.decision_path(x)
    depth = np.asarray(path.sum(axis=1)).ravel() - 1
    assert depth.max() == model.get_depth()
    assert all(path[i, end] == 1 for i, end in enumerate(ends))
    assert path[:, 0].sum() == len(x)
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(model.predict_log_proba(x), np.log(model.predict_proba(x)))
    alphas = model.cost_complexity_pruning_path(x, y)
    assert alphas.ccp_alphas[0] == 0
    stump = clone(model).set_params(ccp_alpha=float(alphas.ccp_alphas[-1]) + 1e-9).fit(x, y)
    assert stump.get_n_leaves() == 1
    for copy in (
        pickle.loads(pickle.dumps(model)),  # noqa: S301 - our own
        joblib.load(joblib.dump(model, tmp_path / "m.joblib")[0]),
    ):
        np.testing.assert_array_equal(copy.predict_proba(x), model.predict_proba(x))
        assert copy.model_ == model.model_
    assert type(model).__name__ in model._repr_html_()


def test_the_state_is_the_model_file():
    model = penjing.C45Classifier().fit(pandas_frame(), RIPE)
    state = model.__getstate__()
    assert json.loads(json.dumps(state["tree_"])) == state["tree_"] == model.tree_.to_json()


def test_weights_by_row_and_by_class():
    x = [[0], [0], [0]]
    model = penjing.C45Classifier()
    assert model.fit(x, list("aab")).predict([[0]]) == ["a"]
    assert model.fit(x, list("aab"), sample_weight=[1, 1, 5]).predict([[0]]) == ["b"]
    heavy = penjing.C45Classifier(class_weight={"b": 5, "a": 1}).fit(x, list("aab"))
    assert heavy.predict([[0]]) == ["b"]
    np.testing.assert_allclose(heavy.predict_proba([[0]]), [[2 / 7, 5 / 7]])
    both = clone(heavy).fit(x, list("aab"), sample_weight=[1, 1, 0.2])
    np.testing.assert_allclose(both.predict_proba([[0]]), [[2 / 3, 1 / 3]])
    with pytest.raises(ValueError, match="weight"):
        model.fit(x, list("aab"), sample_weight=[0, 0, 0])


def test_weights_are_routed():
    x, y = load_iris(return_X_y=True)
    with sklearn.config_context(enable_metadata_routing=True):
        model = penjing.C45Classifier().set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        weight = np.where(y == 2, 0.0, 1.0)
        found = cross_validate(
            model, x, y, params={"sample_weight": weight}, return_estimator=True, cv=3
        )
    seen = {label for fold in found["estimator"] for label in fold.predict(x).tolist()}
    assert seen == {0, 1}


def test_limits_by_scikit_learns_names():
    x, y = load_iris(return_X_y=True)
    for recipe in ("cart-binary", "id3", "sklearn", "cart"):
        model = penjing.TreeClassifier(recipe, max_leaf_nodes=3).fit(x, y)
        assert model.get_n_leaves() <= 3
        broad = penjing.TreeClassifier(recipe, min_samples_leaf=30).fit(x, y)
        assert broad.tree_.weight[broad.tree_.is_leaf].min() >= 30
        late = penjing.TreeClassifier(recipe, min_samples_split=60).fit(x, y)
        assert late.tree_.weight[~late.tree_.is_leaf].min() >= 60
    share = penjing.TreeClassifier("cart-binary", min_weight_fraction_leaf=0.2).fit(x, y)
    assert share.tree_.weight[share.tree_.is_leaf].min() >= 30
    with pytest.raises(ChoiceError, match="limits the number of rows, not their weight"):
        penjing.TreeClassifier("cart", min_weight_fraction_leaf=0.2).fit(x, y)


def test_a_recipe_of_ones_own_and_its_options():
    x, y = load_iris(return_X_y=True)
    own = penjing.RECIPES["c4.5"].but(confidence=0.01)
    one = penjing.TreeClassifier(own).fit(x, y)
    other = penjing.C45Classifier(confidence=0.01).fit(x, y)
    third = penjing.TreeClassifier("c4.5", options={"confidence": 0.01}).fit(x, y)
    assert one.tree_ == other.tree_ == third.tree_
    assert one.tree_.n_leaves < penjing.C45Classifier().fit(x, y).tree_.n_leaves


def test_the_estimators_grow_what_fit_grows():
    frame = pandas_frame()
    whole = frame.assign(ripe=RIPE)
    for name, model in (("c4.5", penjing.C45Classifier()), ("cart", penjing.CARTClassifier())):
        tree = penjing.fit(whole, "ripe", recipe=name)
        found = model.fit(frame, pd.Series(RIPE, name="ripe"))
        assert found.tree_.target.name == "ripe"
        assert found.tree_.depth == tree.depth
        assert found.tree_.predict(whole).tolist() == tree.predict(whole).tolist()


def test_mistakes_are_told_in_sentences():
    with pytest.raises(NotFittedError):
        penjing.C45Classifier().predict([[1]])
    with pytest.raises(ChoiceError, match="unknown recipe 'c5'"):
        penjing.TreeClassifier("c5").fit([[1], [2]], [0, 1])
    with pytest.raises(ChoiceError):
        penjing.TreeClassifier("id3", options={"confidence": 0.1}).fit([[1], [2]], [0, 1])
    with pytest.raises(DataError, match="requires y"):
        penjing.C45Classifier().fit([[1], [2]], None)
    with pytest.raises(DataError, match="is missing"):
        penjing.ID3Classifier().fit([[1], [np.nan]], [0, 1])
    with pytest.raises(DataError, match="infinite"):
        penjing.C45Classifier().fit([[1], [np.inf]], [0, 1])
    with pytest.raises(TypeError, match="must be a string or a number"):
        penjing.C45Classifier().fit(np.array([[1], [{}]], object), [0, 1])
    with pytest.raises(DataError, match="contains dates"):
        penjing.C45Classifier().fit(pd.DataFrame({"d": pd.to_datetime(["2020", "2021"])}), [0, 1])
    with pytest.raises(ChoiceError, match="min_weight_fraction_leaf"):
        penjing.ID3Classifier(min_weight_fraction_leaf=0.9).fit([[1], [2]], [0, 1])
    with pytest.raises(CapabilityError, match="sparse"):
        penjing.C45Classifier().fit([[1], [2]], csr_array([[0], [1]]))
    with pytest.raises(DataError, match="'a'"):
        penjing.C45Classifier().fit(pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), [0, 1])
    with pytest.raises(ChoiceError):
        penjing.TreeRegressor("c4.5").fit([[1], [2]], [0.0, 1.0])


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)


def test_the_package_stays_light_until_an_estimator_is_asked_for():
    done = run(
        "import sys, penjing; assert 'C45Classifier' in dir(penjing)\n"
        "from penjing import *\n"
        "assert not {'sklearn', 'scipy'} & set(sys.modules)\n"
        "penjing.C45Classifier; assert 'sklearn' in sys.modules"
    )
    assert done.returncode == 0, done.stderr


def test_without_scikit_learn_a_sentence_says_what_to_install():
    done = run(
        "import sys; sys.modules['sklearn'] = None\n"
        "import penjing\n"
        "try: penjing.C45Classifier\n"
        "except ImportError as error: print(error)"
    )
    assert done.stdout.strip() == (
        "penjing.C45Classifier requires scikit-learn, which is not installed."
        " Install it with: pip install 'penjing[sklearn]'."
    )


def test_masked_values_are_missing():
    x = np.ma.masked_array(np.tile([[1.0], [2], [3], [4]], (5, 1)), False)
    x[2:7] = np.ma.masked
    y = np.tile([0, 0, 1, 1], 5)
    masked, filled = (penjing.C45Classifier().fit(rows, y) for rows in (x, x.filled(np.nan)))
    assert str(masked.tree_) == str(filled.tree_)
    assert masked.predict(x).tolist() == filled.predict(x.filled(np.nan)).tolist()
    with pytest.raises(DataError, match="missing"):
        penjing.ID3Classifier().fit(x, y)
    with pytest.raises(ValueError, match="NaN"):
        penjing.C45Classifier().fit(x.data, np.ma.masked_array(y * 1.0, x.mask[:, 0]))


@pytest.mark.parametrize(
    "y",
    [
        ["a", None, "b", "a"],
        ["a", float("nan"), "b", "a"],
        np.array(["a", None, "b", "a"], object),
        pd.Series(["a", None, "b", "a"]),
        pd.Series(["a", None, "b", "a"], dtype="string"),
        pd.Series(["a", None, "b", "a"], dtype="category"),
        pd.Series([1, pd.NA, 0, 1], dtype=object),
        pl.Series(["a", None, "b", "a"]),
        [1, None, 0, 1],
    ],
)
@pytest.mark.parametrize("model", [penjing.C45Classifier, penjing.CARTRegressor])
def test_missing_classes_and_numbers_are_refused_with_their_row(model, y):
    with pytest.raises(DataError, match="y, row 2: the value is missing"):
        model().fit([[1], [2], [3], [4]], y)
