"""Scores of random prediction sets equal scikit-learn's; intervals equal their definitions."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest
from scipy import optimize, stats

from penjing.data.statistics import wilson
from penjing.evaluate.metrics import Report, report_of
from penjing.evaluate.number_report import NumberReport, number_report_of
from penjing.evaluate.probability_scores import (
    RankedRows,
    average_precision_interval,
    mean_interval,
    roc_auc_interval,
)
from penjing.predict.row_predictions import RowPredictions

metrics = pytest.importorskip("sklearn.metrics")

N_SETS = 200


def close(value: float | None, expected: float) -> bool:
    """Whether a value equals scikit-learn's to 1e-12; None where that is not a number."""
    if value is None or math.isnan(expected):
        return value is None and math.isnan(expected)
    return abs(value - expected) <= 1e-12 * max(1.0, abs(expected))


class PredictionSet:
    """Random actual classes and predicted probabilities, with ties, weights and absent classes."""

    def __init__(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        self.k = int(random.choice([2, 2, 3, 5, 9]))
        n = int(random.choice([5, 12, 60, 400]))
        digits = int(random.choice([1, 2, 15]))
        shares = random.dirichlet(np.full(self.k, random.choice([0.3, 1.0, 5.0])), n)
        if self.k == 2:  # p and 1 - p tie in the same rows
            first = np.round(shares[:, 0], digits)
            shares = np.stack([first, 1 - first], axis=1)
        elif digits < 15:
            counts = random.multinomial(10**digits, shares[0], n)
            shares = counts / 10**digits
        present = int(random.integers(1, self.k + 1)) if seed % 3 == 0 else self.k
        self.actual = random.choice(random.permutation(self.k)[:present], n)
        copied = random.random(n) < 0.5  # half of the predictions carry information
        right = copied & (shares.max(axis=1) > 0)
        best = shares[right].argmax(axis=1)
        shares[right, best], shares[right, self.actual[right]] = (
            shares[right, self.actual[right]],
            shares[right, best],
        )
        self.shares = shares
        self.weight = [np.ones(n), random.integers(1, 6, n) * 1.0, random.exponential(1.0, n)][
            seed % 3 if seed % 2 else 0
        ]
        self.predicted = self.shares.argmax(axis=1)
        if seed % 5 == 0:  # as a tree with costs predicts
            self.predicted = random.integers(0, self.k, n)

    def report(self, positive: int | None) -> Report:
        n = len(self.actual)
        predictions = RowPredictions(self.predicted, np.arange(n), self.shares)
        return report_of(
            target="y",
            source="rows",
            classes=tuple(range(self.k)),
            actual=self.actual,
            predictions=predictions,
            weight=self.weight,
            rows=np.arange(1, n + 1),
            unlabelled=0,
            positive=positive,
        )


class FewRows(PredictionSet):
    """Up to 30 classes, few leaves, weights of very different size, and often only one class."""

    def __init__(self, seed: int) -> None:
        random = np.random.default_rng([21, seed])
        self.k = 2 if seed % 3 == 0 else int(random.integers(3, 31))
        n, n_leaves = int(random.choice([1, 2, 3, 7, 40, 300])), int(random.integers(1, 12))
        leaves = random.dirichlet(np.full(self.k, random.choice([0.05, 0.3, 1, 5])), n_leaves)
        if random.random() < 0.2:
            leaves = np.eye(self.k)[random.integers(0, self.k, n_leaves)]
        self.shares = leaves[random.integers(0, n_leaves, n)]
        present = random.permutation(self.k)[: int(random.integers(1, self.k + 1))]
        self.actual = random.choice(present[:1] if random.random() < 0.2 else present, n)
        exponents = random.integers(-6, 6, n)
        weights = np.ones(n), random.integers(1, 6, n) * 1.0, 10.0**exponents
        self.weight = weights[int(random.integers(0, 3))]
        self.predicted = self.shares.argmax(axis=1)
        if random.random() < 0.2:
            self.predicted = random.integers(0, self.k, n)


@pytest.mark.parametrize("seed", range(60))
def test_scores_of_few_rows_and_many_classes_equal_those_of_scikit_learn(seed, monkeypatch):
    monkeypatch.setitem(globals(), "PredictionSet", FewRows)
    test_scores_of_classes_equal_those_of_scikit_learn(seed)


@pytest.mark.parametrize("seed", range(N_SETS))
def test_scores_of_classes_equal_those_of_scikit_learn(seed):
    given = PredictionSet(seed)
    positive = seed % 2 if given.k == 2 else None
    plain = given.report(positive).to_json()
    actual, labels = given.actual, list(range(given.k))
    weights = {"sample_weight": given.weight}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert close(
            plain["accuracy_score"], metrics.accuracy_score(actual, given.predicted, **weights)
        )
        assert close(
            plain["balanced_accuracy_score"],
            metrics.balanced_accuracy_score(actual, given.predicted, **weights),
        )
        ours = plain["precision_recall_fscore_support"]
        options = {"labels": labels, "zero_division": np.nan, **weights}
        by_class = metrics.precision_recall_fscore_support(actual, given.predicted, **options)
        names = ("precision", "recall", "fscore", "support")
        for name, expected in zip(names, by_class, strict=True):
            assert all(itertools.starmap(close, zip(ours[name], expected, strict=True))), name
        for average in ("macro", "weighted"):
            expected = metrics.precision_recall_fscore_support(
                actual, given.predicted, average=average, **options
            )
            for name, value in zip(names, expected[:3], strict=False):
                assert close(ours[average][name], value), (average, name)
        one_hot = actual[:, None] == np.arange(given.k)
        losses = -np.log(np.clip(given.shares, 2.0**-52, 1 - 2.0**-52))
        log_loss = (
            metrics.log_loss(actual, given.shares, labels=labels, **weights)
            if given.k > 1
            else np.average((losses * one_hot).sum(axis=1), weights=given.weight)
        )
        assert close(plain["log_loss"], log_loss)
        assert close(
            plain["brier_score_loss"],
            metrics.brier_score_loss(actual, given.shares, labels=labels, **weights),
        )
        areas, precisions = [], []
        for k in labels:
            is_k, score = actual == k, given.shares[:, k]
            has_both = 0 < is_k.sum() < len(is_k)
            areas.append(metrics.roc_auc_score(is_k, score, **weights) if has_both else np.nan)
            precisions.append(
                metrics.average_precision_score(is_k, score, **weights) if is_k.any() else np.nan
            )
    assert [s["class"] for s in plain["per_class"]] == labels
    for score, area, precision in zip(plain["per_class"], areas, precisions, strict=True):
        assert close(score["roc_auc"], area)
        assert close(score["average_precision"], precision)
    if positive is not None:
        assert close(plain["roc_auc_score"], areas[positive])
        assert close(plain["average_precision_score"], precisions[positive])
        return
    support = np.bincount(actual, given.weight, given.k)
    for name, values in (("roc_auc_score", areas), ("average_precision_score", precisions)):
        known = ~np.isnan(values)
        mean = np.mean(np.array(values)[known]) if known.any() else np.nan
        assert close(plain[name], mean)
        total = support[known].sum()
        mean = (np.array(values) * support)[known].sum() / total if total else np.nan
        assert close(plain[f"{name}_weighted"], mean)
    if len(np.unique(actual)) == given.k:
        both = {"multi_class": "ovr", "labels": labels, **weights}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = metrics.roc_auc_score(actual, given.shares, average="macro", **both)
            assert close(plain["roc_auc_score"], expected)
            expected = metrics.roc_auc_score(actual, given.shares, average="weighted", **both)
            assert close(plain["roc_auc_score_weighted"], expected)
            expected = metrics.average_precision_score(
                one_hot, given.shares, average="macro", **weights
            )
            assert close(plain["average_precision_score"], expected)


@pytest.mark.parametrize("seed", range(60))
def test_scores_of_numbers_equal_those_of_scikit_learn(seed):
    random = np.random.default_rng(seed)
    n = int(random.choice([2, 7, 50]))
    actual = np.round(random.normal(size=n), int(random.choice([0, 1, 9]))) * 10.0 ** (seed % 5)
    predicted = actual + np.round(random.normal(size=n), 1)
    weight = [np.ones(n), random.integers(1, 4, n) * 1.0, random.exponential(1.0, n)][seed % 3]
    report = number_report_of(
        target="y",
        source="rows",
        actual=actual,
        predictions=RowPredictions(predicted, np.arange(n), predicted[:, None]),
        weight=weight,
        unlabelled=0,
    )
    assert isinstance(report, NumberReport)
    plain = report.to_json()
    for name in ("root_mean_squared_error", "mean_absolute_error", "median_absolute_error"):
        function = getattr(metrics, name)
        given = {} if seed % 3 == 0 else {"sample_weight": weight}
        assert close(plain[name], function(actual, predicted, **given)), name
    if plain["r2_score"] is None:
        assert len(set(actual)) == 1
    else:
        assert close(plain["r2_score"], metrics.r2_score(actual, predicted, sample_weight=weight))


# -- intervals ----------------------------------------------------------------------------------


def ranked(score, is_positive) -> RankedRows:
    values = np.unique(score)
    places = np.searchsorted(values, score)
    positive = np.bincount(places, is_positive, len(values))
    return RankedRows(values, positive, np.bincount(places, ~is_positive, len(values)))


@pytest.mark.parametrize("seed", range(40))
def test_the_interval_of_an_area_is_that_of_delong(seed):
    random = np.random.default_rng(seed)
    n = int(random.choice([4, 9, 40]))
    is_positive = random.random(n) < 0.5
    is_positive[:4] = [True, True, False, False]
    score = np.round(random.normal(size=n) + is_positive, int(random.choice([0, 1, 9])))
    # From the definition: every pair of a positive and a negative row.
    a, b = score[is_positive][:, None], score[~is_positive][None]
    pairs = (a > b) + 0.5 * (a == b)
    area = pairs.mean()
    variance = (
        pairs.mean(axis=1).var(ddof=1) / len(pairs)
        + pairs.mean(axis=0).var(ddof=1) / pairs.shape[1]
    )
    found = roc_auc_interval(ranked(score, is_positive))
    if area in (0, 1) or variance == 0:
        assert found is None
        return
    half = stats.norm.ppf(0.975) * math.sqrt(variance)
    assert found == pytest.approx((max(area - half, 0), min(area + half, 1)), abs=1e-12)


def test_an_area_of_few_rows_has_no_interval():
    score = np.array([0.1, 0.4, 0.4, 0.9])
    assert roc_auc_interval(ranked(score, np.array([False, False, False, True]))) is None
    assert roc_auc_interval(ranked(score, np.array([True, True, True, True]))) is None
    assert roc_auc_interval(ranked(score, np.array([False, False, True, True]))) is not None


@pytest.mark.parametrize(("correct", "n"), [(0, 4), (1, 9), (7, 10), (50, 99), (6, 6), (2.5, 7.25)])
def test_the_interval_of_a_share_is_that_of_wilson(correct, n):
    z, share = stats.norm.ppf(0.975), correct / n

    def excess(p: float) -> float:  # the score test rejects p where this is positive
        return (share - p) ** 2 - z * z * p * (1 - p) / n

    low, high = wilson(correct, n)
    expected_low = 0.0 if correct == 0 else optimize.brentq(excess, 0, share * (1 - 1e-9))
    expected_high = 1.0 if correct == n else optimize.brentq(excess, share + 1e-9, 1)
    assert (low, high) == pytest.approx((expected_low, expected_high), abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_the_interval_of_a_mean_loss_is_normal(seed):
    random = np.random.default_rng(seed)
    losses, times = random.exponential(size=30), random.integers(1, 5, 30)
    rows = np.repeat(losses, times)  # weights count as numbers of rows
    low, high = stats.norm.interval(0.95, rows.mean(), stats.sem(rows))
    found = mean_interval(rows.mean(), losses, times * 1.0)
    assert found == pytest.approx((max(low, 0), high), abs=1e-12)
    assert mean_interval(1.0, np.ones(1), np.ones(1)) is None


@pytest.mark.parametrize(("value", "n"), [(0.5, 10), (0.01, 400), (0.93, 25)])
def test_the_interval_of_average_precision_is_normal_in_the_logit(value, n):
    logit = math.log(value / (1 - value))
    found = average_precision_interval(value, n)
    bounds = [math.log(bound / (1 - bound)) for bound in found]
    error = 1 / math.sqrt(n * value * (1 - value))
    assert bounds == pytest.approx(stats.norm.interval(0.95, logit, error), abs=1e-12)
    assert average_precision_interval(1.0, n) is None
    assert average_precision_interval(None, n) is None
