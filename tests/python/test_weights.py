"""Tests sample_weight= of score() and compare(). Values equal those of scikit-learn, and those without weights if all weights are
equal. Intervals are valid."""
import importlib.util
import math
import pickle
import shutil
import sys
import unittest
import unittest.mock

import numpy as np

import assay
from assay import _joined
from common import CLASSES, InFolder, command, made
from weighted_peer import curves, influences, values

NAMES = "top1,top3,nll,brier,confidence,overconfidence,balanced,precision,recall,f1,precision:average=weighted,f1:average=weighted,matthews,kappa"
CURVES = "auroc,auroc:average=weighted,average_precision,average_precision:average=weighted,ece,ece:norm=l2"


def has(name):
    return importlib.util.find_spec(name) is not None


def weights(rows, seed=7):
    return np.random.default_rng(seed).exponential(size=rows)


def softmax(scores):
    p = np.exp(scores.astype(np.float64) - scores.max(1, keepdims=True))
    return p / p.sum(1, keepdims=True)


class Values(InFolder):
    def equal(self, found, expected, places=12):
        self.assertEqual(list(found), list(expected))
        for key in found:
            self.assertAlmostEqual(found[key].value, expected[key].value, places, key)

    def test_equal_weights_change_no_value(self):
        scores, labels = made(700)
        for given in (scores, softmax(scores).astype(np.float32), scores.argmax(1)):
            names = NAMES if given.ndim == 2 else "top1,balanced,precision,recall,f1,matthews,kappa"
            how = {} if given.ndim == 2 else {"num_classes": 7}
            plain = assay.score(given, labels, names, **how)
            for weight in (1, 2.5):
                found = assay.score(given, labels, names, sample_weight=np.full(700, weight), **how)
                self.equal(dict(found), dict(plain), 7)
                for m, own in zip(found.measurements, plain.measurements):
                    self.assertEqual(m.n, own.n)
                    self.assertEqual(m.definition, own.definition)
                    self.assertEqual(m.parameters["sample_weight"], "given")
                    # The two intervals of the same numbers come from different methods.
                    self.assertLess(abs(m.interval.low - own.interval.low), 0.25 * (own.interval.high - own.interval.low), m.metric)
                    self.assertLess(abs(m.interval.high - own.interval.high), 0.25 * (own.interval.high - own.interval.low), m.metric)

    def test_equal_weights_have_the_same_areas_and_calibration(self):
        scores, labels = made(700)
        # There are logits, probabilities, ties, very confident logits and 64-bit probabilities. Two classes come below.
        for given in (scores, softmax(scores).astype(np.float32), np.round(scores), scores * 9, softmax(scores * 8)):
            plain = assay.score(given, labels, CURVES)
            found = assay.score(given, labels, CURVES, sample_weight=np.full(700, 2.5))
            self.equal(dict(found), dict(plain), 8)
            for m, own in zip(found.measurements, plain.measurements):
                if m.metric == "ece":  # its interval is from a different method
                    self.assertEqual((m.interval.method, m.note[:5]), ("influence.t.noise", "noise"))
                    self.assertLess(abs(m.interval.high - own.interval.high), 0.01)
                    continue
                self.assertLess(abs(m.interval.low - own.interval.low) + abs(m.interval.high - own.interval.high), 3e-4, m.definition)
        two, yes = made(400, 2)
        names = "binary_brier,auroc:average=binary,average_precision:average=binary"
        self.equal(assay.score(two, yes, names, sample_weight=np.ones(400)), assay.score(two, yes, names), 8)

    def test_items_that_are_all_correct_or_all_incorrect(self):
        # Wilson's interval for Kish's effective number n is n / (n + t^2) to 1, or 0 to t^2 / (n + t^2).
        for items in (150, 300, 333):
            labels = np.arange(items) % 3
            for weight in (np.ones(items), np.random.default_rng(5).uniform(0.5, 1.5, items)):
                n, t = weight.sum() ** 2 / (weight**2).sum(), influences.student(0.975, items - 1)
                correct, incorrect = (
                    assay.score(np.eye(3)[(labels + turn) % 3] * 4, labels, "top1,brier,kappa", sample_weight=weight) for turn in (0, 1))
                for m, value, ends in ((correct["top1"], 1, (n / (n + t * t), 1)), (incorrect["top1"], 0, (0, t * t / (n + t * t)))):
                    self.assertEqual((m.value, m.interval[m.value == 1]), (value, value))
                    np.testing.assert_allclose(m.interval[:2], ends, atol=1e-12)
                self.assertIsNone(correct["brier"].interval)
                self.assertIn("the same without any of the images", correct["brier"].note)
                self.assertLess(correct["kappa"].interval.low, 0.999)

    def test_whole_weights_are_repeated_rows(self):
        scores, labels = made(300)
        times = np.random.default_rng(3).integers(0, 4, 300)
        every = f"{NAMES},{CURVES}"
        found = assay.score(scores, labels, every, sample_weight=times)
        repeated = assay.score(np.repeat(scores, times, 0), np.repeat(labels, times), every)
        self.equal(found, repeated, 7)
        self.assertEqual(found["top1"].n, int(((labels >= 0) & (times > 0)).sum()))

    @unittest.skipUnless(has("sklearn"), f"SKIPPED: {sys.executable} has no scikit-learn")
    def test_values_of_scikit_learn(self):
        from sklearn import metrics

        scores, labels = made(600)
        weight, known = weights(600), labels >= 0
        found = assay.score(scores, labels, f"{NAMES},auroc,average_precision", sample_weight=weight)
        y, w, p, q = labels[known], weight[known], softmax(scores)[known], scores.argmax(1)[known]
        with_weights = {"sample_weight": w}
        expected = {
            "top1": metrics.accuracy_score(y, q, **with_weights), "top3": metrics.top_k_accuracy_score(y, p, k=3, **with_weights),
            "nll": metrics.log_loss(y, p, **with_weights), "balanced": metrics.balanced_accuracy_score(y, q, **with_weights),
            "precision.macro": metrics.precision_score(y, q, average="macro", zero_division=0, **with_weights),
            "recall": metrics.recall_score(y, q, average="macro", zero_division=0, **with_weights),
            "f1.macro": metrics.f1_score(y, q, average="macro", **with_weights),
            "precision.weighted": metrics.precision_score(y, q, average="weighted", zero_division=0, **with_weights),
            "f1.weighted": metrics.f1_score(y, q, average="weighted", **with_weights),
            "matthews": metrics.matthews_corrcoef(y, q, **with_weights), "kappa": metrics.cohen_kappa_score(y, q, **with_weights),
            "brier": float(np.average(((p - np.eye(7)[y]) ** 2).sum(1), weights=w)),
            "confidence": float(np.average(p.max(1), weights=w)),
            "auroc": metrics.roc_auc_score(y, p, multi_class="ovr", **with_weights),
            "average_precision": metrics.average_precision_score(np.eye(7)[y], p, **with_weights),
        }
        for name, value in expected.items():
            self.assertAlmostEqual(found[name].value, value, 7, name)
        yes, p1 = y == 2, p[:, 2]
        both = assay.score(np.stack([1 - p1, p1], 1), yes, "binary_brier,auroc:average=binary,average_precision:average=binary,"
                           "precision:average=binary,recall:average=binary,f1:average=binary", sample_weight=w)
        of_one = {"average": "binary", "zero_division": 0, **with_weights}
        for name, value in (
            ("precision", metrics.precision_score(yes, p1 > 0.5, **of_one)), ("recall", metrics.recall_score(yes, p1 > 0.5, **of_one)),
            ("f1", metrics.f1_score(yes, p1 > 0.5, **of_one)),
            ("binary_brier", metrics.brier_score_loss(yes, p1, **with_weights)), ("auroc", metrics.roc_auc_score(yes, p1, **with_weights)),
            ("average_precision", metrics.average_precision_score(yes, p1, **with_weights)),
        ):
            self.assertAlmostEqual(both[name].value, value, 7, name)

    def test_values_of_numpy_for_other_truths(self):
        scores, labels = made(400)
        labels = np.where(labels < 0, 0, labels)
        random, weight, p, q = np.random.default_rng(6), weights(400), softmax(scores), scores.argmax(1)
        mean = lambda values: float(np.average(values, weights=weight))  # noqa: E731
        soft = random.dirichlet(np.ones(7), 400)
        found = assay.score(scores, labels, "soft_accuracy,soft_cross_entropy,soft_brier", soft_labels=soft, sample_weight=weight)
        self.assertAlmostEqual(found["soft_accuracy"].value, mean(soft[np.arange(400), q]), 6)
        self.assertAlmostEqual(found["soft_cross_entropy"].value, mean(-(soft * np.log(p)).sum(1)), 6)
        self.assertAlmostEqual(found["soft_brier"].value, mean(((p - soft) ** 2).sum(1)), 6)
        valid = random.random((400, 7)) < 0.3
        valid[np.arange(400), labels] = True
        sets, counts = [np.flatnonzero(row).tolist() for row in valid], valid.sum(1)
        best = np.argsort(-scores, 1, kind="stable")
        recall = np.array([valid[i, best[i, :g]].mean() for i, g in enumerate(counts)])
        found = assay.score(scores, labels, "real,variable_topk,asma,subgroup_accuracy:g=2", label_sets=sets, subgroups="1-3", sample_weight=weight)
        self.assertAlmostEqual(found["real"].value, mean(valid[np.arange(400), q]), 9)
        self.assertAlmostEqual(found["variable_topk"].value, mean(recall), 9)
        of = [np.average(recall[counts == g], weights=weight[counts == g]) for g in (1, 2, 3)]
        self.assertAlmostEqual(found["subgroup_accuracy"].value, of[1], 9)
        self.assertAlmostEqual(found["asma"].value, np.mean(of), 9)
        sigmoid = 1 / (1 + np.exp(-scores.astype(float)))
        found = assay.score(scores, labels, [
            "exact_match:scores=sigmoid", "hamming_loss:scores=sigmoid", "multilabel_f1:average=samples,scores=sigmoid"], label_sets=sets, sample_weight=weight)
        predicted = sigmoid >= 0.5
        self.assertAlmostEqual(found["hamming_loss"].value, mean((predicted != valid).mean(1)), 9)
        self.assertAlmostEqual(found["exact_match"].value, mean((predicted == valid).all(1)), 9)
        self.assertAlmostEqual(found["multilabel_f1"].value, mean(2 * (predicted & valid).sum(1) / (predicted.sum(1) + counts)), 9)
        for m in found.measurements:
            self.assertTrue(m.interval.low < m.value < m.interval.high, m.metric)
        found = assay.score(scores, labels, "ordinal_error,within_one,quadratic_kappa,specificity", ordinal=True, sample_weight=weight)
        self.assertAlmostEqual(found["ordinal_error"].value, mean(abs(q - labels)), 9)
        self.assertAlmostEqual(found["within_one"].value, mean(abs(q - labels) <= 1), 9)
        share = weight / weight.sum()
        expected = ((share[:, None] * share) * (labels[:, None] - q) ** 2.0).sum()
        self.assertAlmostEqual(found["quadratic_kappa"].value, 1 - mean((labels - q) ** 2) / expected, 9)
        others = [np.average(q[labels != c] != c, weights=weight[labels != c]) for c in range(7)]
        self.assertAlmostEqual(found["specificity"].value, np.mean(others), 9)

    def test_calibration_error_is_that_of_its_bins(self):
        scores, labels = made(500)
        weight, known = weights(500), labels >= 0
        p, w = softmax(scores)[known], weight[known] / weight[known].sum()
        confidence, hit = p.max(1), p.argmax(1) == labels[known]
        bins = np.minimum((confidence * 10).astype(int), 9)
        gaps, sizes = np.bincount(bins, w * (hit - confidence), 10), np.maximum(np.bincount(bins, w, 10), 1e-300)
        for name, value in (("ece", abs(gaps).sum()), ("ece:norm=l2", (gaps**2 / sizes).sum() ** 0.5)):
            found = assay.score(scores, labels, name, bins=10, sample_weight=weight)["ece"]
            self.assertAlmostEqual(found.value, value, 7)
            self.assertLess(found.interval.low, value)
        with_bins = assay.score(scores, labels, "ece", bins=10, edges="right_closed", sample_weight=weight)["ece"]
        self.assertEqual((with_bins.definition, with_bins.parameters["bins"]), ("ece.l1.right_closed", "10"))

    def test_each_metric_has_its_influence(self):
        # The influence is the Gateaux derivative of the value with respect to an item's weight, compared with a small step.
        scores, labels = made(80)
        weight = weights(80)
        store = assay.Store.of(scores, labels)
        items = values.items_of(store, weight, 3)
        for facts in assay.score(scores, labels, f"{NAMES},{CURVES}").to_dict()["measurements"]:
            found = values.found_of(facts, items)
            self.assertAlmostEqual(items.weights @ found.influence, 0, 12)
            for item in (0, 11, 40):
                step = 1e-6
                moved = items.weights * (1 - step)
                moved[item] += step
                after = values.found_of(facts, items._replace(weights=moved)).value
                self.assertAlmostEqual((after - found.value) / step, found.influence[item], 4, f"{facts['metric']} {item}")

    def test_student(self):
        # The quantiles .975 and .95 from tables of Student's t.
        for degrees, p, expected in ((1, 0.975, 12.706205), (5, 0.975, 2.570582), (30, 0.975, 2.042272), (10, 0.95, 1.812461), (1e7, 0.975, 1.959964)):
            self.assertAlmostEqual(influences.student(p, degrees), expected, 5)
        self.assertAlmostEqual(influences.tail(-2.570582, 5), 0.05, 7)
        self.assertEqual((influences.tail(0, 5), influences.tail(math.inf, 5)), (1, 0))

    def coverage(self, of, truth, draw):
        inside = sum(low <= truth <= high for low, high in (of(*draw()) for _ in range(1000)))
        return inside / 1000

    def test_intervals_hold_the_truth(self):
        random = np.random.default_rng(5)

        def draw():
            # Items with larger weights are more often correct.
            u = random.normal(size=200)
            return np.exp(u / 2), (random.random(200) < 1 / (1 + np.exp(-1 - u))).astype(float)

        u = random.normal(size=2_000_000)
        truth = float(np.average(1 / (1 + np.exp(-1 - u)), weights=np.exp(u / 2)))

        def of(weight, hit):
            items = influences.Items(weight / weight.sum(), np.zeros(200, int), np.where(hit > 0, 0, 1), {"nll": hit}, np.where(hit > 0, 0, 1)[:, None], 2)
            facts = {"metric": metric, "definition": ""}
            interval = values.estimate_of(facts, items, values.found_of(facts, items), 0.95)["interval"]
            return interval["low"], interval["high"]

        for metric in ("topk", "nll"):  # Wilson's interval, and the interval of means
            found = self.coverage(of, truth, draw)
            self.assertGreater(found, 0.93, metric)
            self.assertLess(found, 0.975, metric)


    def test_intervals_of_areas_and_of_calibration_hold_the_truth(self):
        # bench/weighted_coverage.py has more simulations and more samples.
        random = np.random.default_rng(8)

        def people(n):
            u, labels = random.normal(size=n), random.integers(0, 3, n)
            scores = random.normal(size=(n, 3))
            scores[np.arange(n), labels] += np.exp(0.3 * u)
            p = softmax(scores)
            ranking = curves.Ranking(Logits(scores), np.arange(n))
            columns = {"confidence": p.max(1), "confidence32": p.max(1).astype(np.float32)}
            return influences.Items(np.exp(u / 2) / np.exp(u / 2).sum(), labels, p.argmax(1), columns, None, 3, None, ranking)

        facts = [{"metric": name, "definition": ""} for name in ("auroc", "average_precision", "ece")]
        whole, inside = people(200_000), [0, 0, 0]
        truths = [values.found_of(one, whole).value for one in facts]
        for _ in range(200):
            items = people(300)
            for place, one in enumerate(facts):
                interval = values.estimate_of(one, items, values.found_of(one, items), 0.95)["interval"]
                inside[place] += interval["low"] <= truths[place] <= interval["high"]
        for one, held in zip(facts, inside):
            self.assertGreaterEqual(held, 180, one["metric"])
        self.assertLessEqual(inside[0], 198, "wider than necessary")


class Logits:
    """Logits with the interface of a store."""

    kind = "logits"

    def __init__(self, scores):
        self._scores = scores

    def scores(self):
        return self._scores


class Results(InFolder):
    def test_a_report(self):
        scores, labels = made(500)
        report = assay.score(scores, labels, sample_weight=weights(500), model="net", dataset="val")
        self.assertIn("top1", report)
        self.assertNotIn("calibration_error", report)
        self.assertTrue(any("calibration_error (a part of it is ace" in note and "not measured with weights" in note for note in report.notes))
        self.assertTrue(any("images count, with the weights in sample_weight" in note for note in report.notes))
        for text in (str(report), report.to_markdown(), report.to_latex(), report.to_csv()):
            for m in report.measurements:
                self.assertIn(m.definition, text.replace("\\", ""))
        self.assertEqual(pickle.loads(pickle.dumps(report)).to_json(), report.to_json())
        # Multiplying the weights by four gives the same bits.
        self.assertEqual(assay.score(scores, labels, sample_weight=weights(500) * 4)["nll"].interval[:2], report["nll"].interval[:2])
        ece = report["ece"]
        row, = (line for line in str(report).splitlines() if line.startswith("ece "))
        # the row shows both ends once
        self.assertEqual(row.split()[1:5], f"{ece:.2f} {ece.interval.low:.2f} – {ece.interval.high:.2f}".split())
        self.assertIn("net on val", report._repr_html_())
        areas = assay.score(scores, labels, CURVES, sample_weight=weights(500))
        self.assertNotIn("float64", areas.to_csv())
        for m in areas.measurements:
            self.assertEqual([type(end) for end in m.interval[:2]], [float, float])
        several = assay.score({"a": scores, "b": scores * 2}, labels, "top1,nll", sample_weight=weights(500))
        self.assertEqual(several["a", "top1"].value, several["b", "top1"].value)
        self.assertGreater(several["b", "nll"], several["a", "nll"])
        self.assertEqual(len(several.to_csv().splitlines()), 5)
        stored = assay.score(self.imported(scores, labels), metrics="top1,nll", sample_weight=weights(500))
        self.assertEqual(stored["nll"].value, several["a", "nll"].value)

    def with_column(self, scores, labels, weight, name="net"):
        """The folder of a store whose data set has the weights as the attribute `weight`."""
        np.save(self.folder / "scores.npy", scores)
        with open(self.folder / "items.csv", "w") as file:
            file.write("id,label,weight\n")
            file.writelines(f"{i},{label if label >= 0 else ''},{w!r}\n" for i, (label, w) in enumerate(zip(labels.tolist(), weight.tolist())))
        command(
            "import", self.folder / "scores.npy", "--items", self.folder / "items.csv", "--dataset-name", "val", "--name", name, "--out",
            self.folder / "runs", "-q",
        )
        return self.folder / "runs" / "val" / name

    def independently(self, scores, labels, weight, names):
        """The estimates of values.py, which computes values and influences independently of the library."""
        store = assay.Store.of(scores, labels)
        plain = assay.score(store, metrics=names).to_dict()["measurements"]
        items = values.items_of(store, weight, 3)
        return [values.estimate_of(facts, items, values.found_of(facts, items), 0.95) for facts in plain]

    def test_the_library_and_numpy_compute_the_same(self):
        scores, labels = made(700)
        by_counts = ("balanced", "precision", "recall", "f1", "kappa", "matthews")  # the intervals of these are from effective counts
        for given in (scores, softmax(scores).astype(np.float32), np.round(scores)):
            weight, names = weights(700), f"{NAMES},{CURVES},auroc:scores=stored"
            found = assay.score(given, labels, names, sample_weight=weight)
            for m, own in zip(found.measurements, self.independently(given, labels, weight, names)):
                np.testing.assert_allclose([m.value, m.standard_error], [own["value"], own["standard_error"]], atol=2e-7, err_msg=m.definition)
                if m.metric not in by_counts:
                    self.assertEqual(m.interval.method, own["interval"]["method"])
                    ends = own["interval"]["low"], own["interval"]["high"]
                    np.testing.assert_allclose(m.interval[:2], ends, atol=2e-7, err_msg=m.definition)

    def test_stores_take_a_column_of_their_data_set(self):
        scores, labels = made(700)
        for weight in (weights(700), np.random.default_rng(4).integers(0, 3, 700).astype(float)):
            for given in (scores, softmax(scores).astype(np.float32)):
                expected = assay.score(given, labels, NAMES, sample_weight=weight)
                store = self.with_column(given, labels, weight)
                found = assay.score(store, metrics=NAMES, weights="weight")
                self.assertEqual(list(found), list(expected))
                for m, own in zip(found.measurements, expected.measurements):
                    self.assertEqual((m.definition, m.n, m.interval.method), (own.definition, own.n, own.interval.method))
                    np.testing.assert_allclose(
                        [m.value, m.standard_error, *m.interval[:2]], [own.value, own.standard_error, *own.interval[:2]], atol=2e-7, err_msg=m.metric)
                shutil.rmtree(self.folder / "runs")
        two, yes = made(400, 2)
        store = self.with_column(two, yes, weights(400))
        found, expected = assay.score(store, weights="weight"), assay.score(two, yes, "binary_brier", sample_weight=weights(400))
        self.assertEqual(found["top1"].parameters["weights"], "weight")
        self.assertIn("ece", found)
        self.assertNotIn("calibration_error", found)
        brier = assay.score(store, metrics="binary_brier", weights="weight")["binary_brier"]
        np.testing.assert_allclose(brier.interval[:2], expected["binary_brier"].interval[:2], atol=2e-7)
        # Classes and bins are excluded, because they would count items equally.
        weighted = assay.score(two, yes, sample_weight=weights(400))
        for report in (found, weighted, pickle.loads(pickle.dumps(found))):
            self.assertEqual(report._pictures(), {})
            self.assertNotIn("<svg", report._repr_html_())
            self.refused(report.per_class, "usage", "without weights= and sample_weight=")
            self.refused(report.confusion_matrix, "usage", "without weights= and sample_weight=")
        self.assertIn("reliability", assay.score(store)._pictures())
        self.refused(lambda: assay.score(store, metrics="ace", weights="weight"), "usage", "weights= does not measure ace (its bins")
        self.refused(lambda: assay.score(store, weights="weigth"), "usage", "did you mean `weight`?")

    def test_stores_of_the_best_classes_and_of_predictions(self):
        scores, labels = made(500)
        weight = weights(500)
        whole = assay.score(scores, labels, "top1,top3,nll,confidence,overconfidence,f1", sample_weight=weight)
        for storage, places in (("top3", 6), ("f16", 2)):
            with assay.StoreWriter(self.folder / storage, dataset="val", model="net", ids=list(map(str, range(500))), labels=labels, num_classes=7,
                                   storage=storage) as writer:
                writer.write(0, scores)
            found = assay.score(self.folder / storage, metrics="top1,top3,nll,confidence,overconfidence,f1", sample_weight=weight)
            for name in whole:
                if (storage, name) == ("top3", "nll"):  # a label that is not among the stored best classes has no score
                    self.assertIsNone(found[name].value)
                    continue
                self.assertAlmostEqual(found[name].value, whole[name].value, places, f"{storage} {name}")
        self.assertIsNone(assay.score(self.folder / "top3", metrics="brier", sample_weight=weight)["brier"].value)
        hard = assay.score(scores.argmax(1), labels, num_classes=7, sample_weight=weight)
        self.assertAlmostEqual(hard["top1"].value, whole["top1"].value, 12)

    def test_a_comparison_is_paired(self):
        scores, labels = made(500)
        other = scores + 2 * np.random.default_rng(2).normal(size=scores.shape).astype(np.float32)
        weight = weights(500)
        found = assay.compare(scores, {"b": other, "c": scores * 2}, labels, "top1,nll,confidence", sample_weight=weight)
        a, b = (assay.score(s, labels, "top1,nll", sample_weight=weight) for s in (scores, other))
        for name in ("top1", "nll"):
            self.assertEqual(found["b", name].value, b[name].value - a[name].value)
            self.assertEqual((found["b", name].baseline.interval, found["b", name].candidate.interval), (a[name].interval, b[name].interval))
            self.assertEqual(found["b", name].verdict, "worse")
            half = found["b", name].interval.high - found["b", name].value
            apart = ((a[name].interval.high - a[name].value) ** 2 + (b[name].interval.high - b[name].value) ** 2) ** 0.5
            self.assertLess(half, 0.9 * apart, "known better than from two samples")
        self.assertEqual(found["b", "confidence"].verdict, "")
        self.assertEqual((found["c", "top1"].p, found["c", "top1"].verdict), (1, "no difference shown"))
        self.assertIn("the same without any of the images", found["c", "top1"].note)
        # Holm's correction doubles the smaller p of two candidates.
        self.assertAlmostEqual(found["b", "top1"].p_holm, 2 * found["b", "top1"].p)
        self.assertIn("worse", str(found))
        self.assertIn("Student's t test of the weighted paired differences", str(found))
        self.assertEqual(len(found.to_csv().splitlines()), 7)

    def test_differences_are_those_of_numpy(self):
        scores, labels = made(500)
        other = scores + np.random.default_rng(2).normal(size=scores.shape).astype(np.float32)
        weight, names = np.where(np.arange(500) % 50 == 0, 0, weights(500)), f"{NAMES},{CURVES}"
        found = assay.compare(scores, other, labels, names, sample_weight=weight).to_dict()["pairs"][0]["metrics"]
        first, second = (values.items_of(assay.Store.of(s, labels), weight, 3) for s in (scores, other))
        self.assertEqual(len(found), len(names.split(",")))
        for one in found:
            own = values.difference_of(one["baseline"], first, second, 0.95)
            self.assertEqual((one["test"], one["difference"]["interval"]["method"]), ("influence.t", "influence.t.paired"))
            shown = [one["difference"]["value"], one["difference"]["standard_error"], *(one["difference"]["interval"][end] for end in ("low", "high")), one["p"]]
            np.testing.assert_allclose(shown, [own[key] for key in ("value", "standard_error", "low", "high", "p")], atol=4e-7, err_msg=one["definition"])

    def test_a_comparison_measures_what_score_measures(self):
        scores, labels = made(300)
        weight = weights(300)
        sets = [[c, (c + 1) % CLASSES] if i % 3 else [c] for i, c in enumerate(np.maximum(labels, 0))]
        other = np.roll(scores, 1, axis=0)
        for how in ({}, {"label_sets": sets}):
            alone = assay.score(other, labels, sample_weight=weight, **how)
            found = assay.compare(scores, other, labels, sample_weight=weight, **how)
            self.assertEqual({m.definition for m in alone.measurements}, {m.candidate.definition for m in found.values()})
            for m in alone.measurements:
                own = next(d for d in found.values() if d.candidate.definition == m.definition and d.candidate.parameters == m.parameters)
                self.assertEqual((own.candidate.value, own.candidate.interval), (m.value, m.interval), m.definition)
                self.assertTrue(own.interval or own.note or own.undefined, m.definition)
        self.assertIn("not measured with weights: ace", str(assay.compare(scores, other, labels, sample_weight=weight)))
        gated = assay.compare(scores, other, labels, "top1", sample_weight=weight, gates=["top1.delta >= 0"])
        self.assertFalse(gated.passed)

    def test_equal_weights_give_the_differences_without_weights(self):
        scores, labels = made(600)
        other = scores + np.random.default_rng(3).normal(size=scores.shape).astype(np.float32)
        names = "top1,nll,brier,auroc,f1"
        for one, plain in zip(*(assay.compare(scores, other, labels, names, **how).values() for how in ({"sample_weight": np.full(600, 3.0)}, {}))):
            self.assertAlmostEqual(one.value, plain.value, 9)
            wide = plain.interval.high - plain.interval.low
            self.assertLess(abs(one.interval.low - plain.interval.low) + abs(one.interval.high - plain.interval.high), 0.3 * wide, one.metric)
            self.assertEqual(one.verdict, plain.verdict)

    def test_a_difference_does_not_depend_on_the_metrics_before_it(self):
        scores, labels = made(300)
        labels[labels == CLASSES - 1] = 0
        labels[:3] = CLASSES - 1  # so few that the areas have few degrees of freedom
        other, weight = np.roll(scores, 1, axis=0), np.random.default_rng(4).uniform(0.9, 1.1, 300)
        for name in ("nll", "ece", "top1"):
            alone, after = (assay.compare(scores, other, labels, names, sample_weight=weight)[name] for names in (name, f"auroc,classwise_ece,{name}"))
            self.assertEqual((alone.interval, alone.p), (after.interval, after.p))

    def test_pairs_are_matched_by_their_ids(self):
        scores, labels = made(500)
        other = np.roll(scores, 1, axis=1)
        weight, ids, order = weights(500), list(map(str, range(500))), np.random.default_rng(6).permutation(500)
        first, same, shuffled = (
            assay.Store.of(s[rows], labels[rows], ids=[ids[i] for i in rows], model=name)
            for name, s, rows in (("a", scores, range(500)), ("b", other, range(500)), ("b", other, order)))
        expected = assay.compare(first, same, metrics="top1,nll,auroc", sample_weight=weight)
        found = assay.compare(first, shuffled, metrics="top1,nll,auroc", sample_weight=weight)
        for name in expected:
            self.assertEqual(found[name].n, expected[name].n)
            np.testing.assert_allclose(found[name].interval[:2], expected[name].interval[:2], atol=1e-12)
        # The weights of score() are in the order of the items, and two stores have two orders.
        self.assertEqual(len(assay.score([first, same], metrics="top1", sample_weight=weight)), 2)
        self.refused(lambda: assay.score([first, shuffled], metrics="top1", sample_weight=weight), "bad_input", "sample_weight", "in another order",
                     "score each store by itself")
        # Each model lacks the scores of a different item, so these do not count.
        known = np.flatnonzero(labels >= 0)
        broken = [scores.copy(), other.copy()]
        broken[0][known[1]] = broken[1][known[-1]] = np.nan
        partial = assay.compare(*broken, labels, "top1", sample_weight=weight)
        without = np.where(np.isin(np.arange(500), known[[1, -1]]), 0, weight)
        self.assertEqual(partial["top1"].value, assay.compare(scores, other, labels, "top1", sample_weight=without)["top1"].value)
        self.assertTrue(partial.partial)

    def test_stores_are_compared_by_a_column(self):
        scores, labels = made(300)
        weight, other = weights(300), np.roll(scores, 1, axis=1)
        stored = [self.with_column(s, labels, weight, name) for s, name in ((scores, "a"), (other, "b"))]
        expected = assay.compare(scores, other, labels, "top1,nll", sample_weight=weight)
        for found in (assay.compare(*stored, metrics="top1,nll", sample_weight=weight), assay.compare(*stored, metrics="top1,nll", weights="weight")):
            for name in expected:
                self.assertEqual((found[name].value, found[name].interval, found[name].p), (expected[name].value, expected[name].interval, expected[name].p))
        self.assertEqual(found["top1"].candidate.parameters["weights"], "weight")
        self.assertEqual(command("compare", *stored, "--metrics", "top1,nll", "--weights", "weight", "--json"), found.to_json())
        for more in (["--by", "weight"], ["--cluster", "weight"], ["--null", "20"], ["--metrics", "ace"], ["--people", self.folder]):
            command("compare", *stored, "--weights", "weight", *more, status=2)
        self.refused(lambda: assay.compare(*stored, weights="weigth"), "usage", "did you mean `weight`?")

    def test_metrics_that_keep_their_rows(self):
        scores, labels = made(500)
        weight = weights(500)
        expected = assay.score(scores, labels, "top1,nll,f1", sample_weight=weight)
        metrics, other = (assay.Metrics("top1,nll,f1", keep=True) for _ in range(2))
        order = np.random.default_rng(4).permutation(500)
        for begin in range(0, 500, 64):
            part = order[begin:begin + 64]
            (metrics if begin % 128 else other).update(scores[part], labels[part], rows=part, sample_weight=weight[part])
        found = pickle.loads(pickle.dumps(metrics)).merge(other).compute()
        self.assertEqual(found.to_json(), expected.to_json())
        batch = metrics(scores[:9], labels[:9], rows=range(500, 509), sample_weight=np.arange(9))
        self.assertEqual(batch["top1"].value, assay.score(scores[:9], labels[:9], "top1", sample_weight=np.arange(9))["top1"].value)
        self.refused(lambda: metrics.update(scores[:2], labels[:2], rows=[600, 601]), "usage", "some batches have weights")
        self.refused(lambda: metrics.update(scores[:2], labels[:2], rows=[600, 601], sample_weight=[1, -1]), "bad_input", "-1.0 at item 1")
        self.assertEqual(len(metrics), len(pickle.loads(pickle.dumps(metrics))))
        self.refused(lambda: assay.Metrics("top1").update(scores, labels, sample_weight=weight), "usage", "keep=True")
        unweighted = assay.Metrics("top1,nll,f1", keep=True)
        unweighted.update(scores, labels, rows=range(1000, 1500))
        self.refused(lambda: metrics.merge(unweighted), "usage", "some batches have weights")
        # Uses the form in which processes join rows. The advice for rows that two processes have would be wrong.
        torch = unittest.mock.MagicMock()
        torch.distributed.get_world_size.return_value = 2
        torch.distributed.all_gather_object.side_effect = lambda parts, own, group: parts.__setitem__(
            slice(None), [own, (own[0], pickle.dumps(unweighted._pieces()))])
        with unittest.mock.patch.dict(sys.modules, {"torch": torch, "torch.distributed": torch.distributed}):
            with self.assertRaises(assay.Error) as caught:
                _joined.joined(metrics, None)
        self.assertIn("some batches have weights", caught.exception.message)
        self.assertNotIn("DistributedSampler", caught.exception.message)

    def test_few_effective_items_have_no_interval(self):
        scores, labels = made(300)
        weight = np.full(300, 1e-9)
        weight[:3] = 1
        m = assay.score(scores, labels, "top1", sample_weight=weight)["top1"]
        self.assertIsNone(m.interval)
        self.assertIn("effective images", m.note)

    def test_areas_of_rare_classes(self):
        scores, labels = made(300)
        one, last = labels.copy(), CLASSES - 1
        one[labels == last] = 0
        one[np.flatnonzero(labels == last)[0]] = last
        for metric in ("auroc", "average_precision"):
            m = assay.score(scores, one, metric, sample_weight=np.ones(300))[metric]
            self.assertIsNone(m.interval)
            self.assertIn(f"class {last} has 1.0 effective items", m.note)
            self.assertAlmostEqual(m.value, assay.score(scores, one, metric)[metric].value, 9)
            # A class whose items have weight 0 is excluded.
            left_out = assay.score(scores, one, metric, sample_weight=np.where(one == last, 0.0, 1.0))[metric]
            self.assertAlmostEqual(left_out.value, assay.score(scores, np.where(one == last, -1, one), metric)[metric].value, 9)
            self.assertIsNotNone(left_out.interval)
            found = assay.compare(scores, scores[:, ::-1].copy(), one, metric, sample_weight=np.ones(300))[metric]
            self.assertIsNone(found.interval)
            same = assay.score(scores, np.where(labels >= 0, 2, -1), metric, sample_weight=np.ones(300))[metric]
            self.assertEqual(same.value is None, metric == "auroc")

    def test_a_difference_of_areas_and_of_calibration_errors(self):
        scores, labels = made(500)
        sharper, weight = scores * 2, weights(500)
        found = assay.compare(scores, sharper, labels, "ece,auroc", sample_weight=weight)
        a, b = (assay.score(s, labels, "ece,auroc", sample_weight=weight) for s in (scores, sharper))
        for name in ("ece", "auroc"):
            self.assertAlmostEqual(found[name].value, b[name].value - a[name].value, 8)
            self.assertLess(found[name].interval.low, found[name].value)
        self.assertEqual(found["ece"].verdict, "worse")
        same = assay.compare(scores, scores + 1, labels, "ece,auroc", sample_weight=weight)
        self.assertEqual([same[name].verdict for name in ("ece", "auroc")], ["no difference shown"] * 2)

    def test_what_is_refused(self):
        scores, labels = made(60)
        one = np.ones(60)
        for weight, code, *texts in (
            (one[1:], "bad_input", "(59,)", "60 items"), (one[:, None], "bad_input", "(60, 1)"), (-one, "bad_input", "-1.0 at item 0"),
            (one * np.nan, "bad_input", "nan at item 0"), (one * 0, "bad_input", "all are 0"), (["a"] * 60, "usage", "a number for each item"),
        ):
            self.refused(lambda weight=weight: assay.score(scores, labels, "top1", sample_weight=weight), code, "sample_weight", *texts)
        for options, text in (
            ({"metrics": "top1,ace"}, "sample_weight= does not measure ace (its bins hold equal numbers of images)"),
            ({"metrics": "aurc"}, "remove it from metrics= and gates="), ({"metrics": "top1", "bins": 10}, "bins"),
            ({"gates": ["ace < 0.5"]}, "does not measure ace"), ({"weights": "w"}, "both say how much items count"),
            ({"per_class": True}, "per_class= does not go with"), ({"groups": one}, "score each group by itself"), ({"bootstrap": 500}, "influence"),
            ({"reliability": True}, "bins count items"),
        ):
            self.refused(lambda options=options: assay.score(scores, labels, sample_weight=one, **options), "usage", text)
        self.refused(lambda: assay.score(scores, labels, sample_weights=one), "usage", "it is sample_weight=")
        nobody = assay.score(scores, labels, "top1,auroc", sample_weight=np.where(labels < 0, 1.0, 0.0))
        self.assertEqual([m.undefined for m in nobody.measurements], ["no image that counts has a label and scores"] * 2)
        self.assertFalse(assay.score(scores, labels, "top1", sample_weight=one, gates="top1 > 0.999").passed)
        self.refused(lambda: assay.compare(scores, scores, labels, "top1,aurc", sample_weight=one), "usage", "sample_weight= does not measure aurc")
        for options, text in (
            ({"by": "group"}, "by= does not go with sample_weight="), ({"bootstrap": 500}, "influence"), ({"weights": "w"}, "pass one of them"),
            ({"bins": 10, "metrics": "top1"}, "bins"),
        ):
            self.refused(lambda options=options: assay.compare(scores, scores, labels, sample_weight=one, **options), "usage", text)
        self.refused(lambda: assay.compare(scores, scores, labels, "top1", sample_weight=one[1:]), "bad_input", "(59,)", "60 items")


if __name__ == "__main__":
    unittest.main()
