"""One tree by each program: how it is fitted, how large it is, how right on its own rows."""

from __future__ import annotations

import numpy as np


class CannotError(Exception):
    """What a program cannot do."""


def _is_frame(x):
    return hasattr(x, "columns")


def penjing(x, y, task, depth, threads):
    from penjing import fit as grown  # loads what fits, as the imports of the others do

    recipe = {"ratio": "c4.5-textbook", "binary": "cart-binary"}.get(task, "cart-textbook")
    changes = {"missing": "fraction"} if task == "missing" else {}
    if task != "number":
        changes["schema"] = {"class": "nominal"}  # many whole numbers would be a number

    def fit():
        return grown(x, y, recipe, max_depth=depth, threads=threads, **changes)

    return fit, lambda t: (t.n_leaves, t.depth), lambda t: t.predict(x)


def sklearn(x, y, task, depth, threads):
    from sklearn.preprocessing import OrdinalEncoder
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    if threads > 1:
        raise CannotError("one thread only")
    if task == "number":
        model = DecisionTreeRegressor(max_depth=depth, random_state=0)
    else:
        criterion = "entropy" if task == "ratio" else "gini"
        model = DecisionTreeClassifier(criterion=criterion, max_depth=depth, random_state=0)

    def coded():
        return OrdinalEncoder(dtype=np.float32).fit_transform(x) if _is_frame(x) else x

    def answers(m):
        return m.predict(coded())

    return lambda: model.fit(coded(), y), lambda m: (m.get_n_leaves(), m.get_depth()), answers


def hist(x, y, task, depth, threads):
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    if _is_frame(x) and max(len(x[c].unique()) for c in x.columns) > 255:
        raise CannotError("at most 255 levels")
    settings = {"max_iter": 1, "max_depth": depth, "max_leaf_nodes": None, "min_samples_leaf": 1}
    settings |= {"early_stopping": False, "learning_rate": 1.0}
    if _is_frame(x):
        settings["categorical_features"] = list(x.columns)
    maker = HistGradientBoostingRegressor if task == "number" else HistGradientBoostingClassifier
    model = maker(**settings)

    def size(m):
        return sum(t.get_n_leaf_nodes() for t in m._predictors[0]), None

    return lambda: model.fit(x, y), size, lambda m: m.predict(x)


def lightgbm(x, y, task, depth, threads):
    import lightgbm as lgb

    n_classes = int(y.max()) + 1 if task != "number" else 1
    settings = {
        "objective": {1: "regression", 2: "binary"}.get(n_classes, "multiclass"),
        "num_leaves": 2**depth if depth else 131_072,
        "max_depth": depth or -1,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0,
        "learning_rate": 1.0,
        "num_threads": threads,
        "verbose": -1,
    }
    if n_classes > 2:
        settings["num_class"] = n_classes
    frame = x
    if _is_frame(x) and x.dtypes.iloc[0] == object:
        frame = x.astype("category")

    def fit():
        given = x.astype("category") if frame is not x else x
        return lgb.train(settings, lgb.Dataset(given, y), num_boost_round=1)

    def answers(m):
        told = m.predict(frame)
        if task == "number":
            return told
        return told.argmax(1) if n_classes > 2 else (told > 0.5).astype(int)

    def size(m):
        return sum(t["num_leaves"] for t in m.dump_model()["tree_info"]), None

    return fit, size, answers


def xgboost(x, y, task, depth, threads):
    import xgboost as xgb

    n_classes = int(y.max()) + 1 if task != "number" else 1
    settings = {
        "objective": {1: "reg:squarederror", 2: "binary:logistic"}.get(n_classes, "multi:softprob"),
        "max_depth": depth or 0,
        "tree_method": "hist",
        "min_child_weight": 0,
        "lambda": 0,
        "eta": 1.0,
        "nthread": threads,
    }
    if n_classes > 2:
        settings["num_class"] = n_classes
    is_text = _is_frame(x) and x.dtypes.iloc[0] == object

    def data():
        given = x.astype("category") if is_text else x
        return xgb.QuantileDMatrix(given, y, nthread=threads, enable_categorical=_is_frame(x))

    def answers(m):
        told = m.predict(data())
        if task == "number":
            return told
        return told.argmax(1) if n_classes > 2 else (told > 0.5).astype(int)

    def size(m):
        return sum(text.count("leaf=") for text in m.get_dump()), None

    return lambda: xgb.train(settings, data(), 1), size, answers


def ydf(x, y, task, depth, threads):
    import ydf as y_df

    y_df.verbose(0)

    def data(label=True):
        columns = (
            {c: x[c].astype(str).to_numpy() for c in x.columns}
            if _is_frame(x)
            else {f"c{j}": x[:, j] for j in range(x.shape[1])}
        )
        return columns | ({"y": y} if label else {})

    goal = y_df.Task.REGRESSION if task == "number" else y_df.Task.CLASSIFICATION
    learner = y_df.CartLearner(
        label="y",
        task=goal,
        max_depth=depth or -1,
        min_examples=1,
        validation_ratio=0.0,
        num_threads=threads,
        max_vocab_count=-1,
        min_vocab_frequency=1,
    )

    def size(m):
        return (m.get_tree(0).num_leaves() if hasattr(m.get_tree(0), "num_leaves") else None), None

    def answers(m):
        told = m.predict(data(label=False))
        if task == "number":
            return told
        if told.ndim == 1:
            return (told > 0.5).astype(int)
        return np.asarray(m.label_classes()).astype(int)[told.argmax(1)]

    return lambda: learner.train(data()), size, answers


TOOLS = {
    "penjing": penjing,
    "sklearn": sklearn,
    "hist": hist,
    "lightgbm": lightgbm,
    "xgboost": xgboost,
    "ydf": ydf,
}
NAMES = {
    "penjing": "penjing",
    "sklearn": "scikit-learn",
    "hist": "HistGradientBoosting",
    "lightgbm": "LightGBM",
    "xgboost": "XGBoost",
    "ydf": "YDF CART",
}
