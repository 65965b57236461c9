"""The data for the lines, and their expected values, in NumPy alone."""
import numpy as np

CLASSES = 4
NAMES = ["ant", "bee", "cat", "dog"]


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def confusion(y, p, classes=CLASSES):
    """Counts with a row for each label and a column for each prediction."""
    out = np.zeros((classes, classes), np.int64)
    np.add.at(out, (y, p), 1)
    return out


def precision(y, p):
    m = confusion(y, p)
    return np.diag(m) / m.sum(0)


def recall(y, p):
    m = confusion(y, p)
    return np.diag(m) / m.sum(1)


def f1(y, p):
    m = confusion(y, p)
    return 2 * np.diag(m) / (m.sum(0) + m.sum(1))


def kappa(y, p):
    m = confusion(y, p) / len(y)
    chance = m.sum(0) @ m.sum(1)
    return (np.trace(m) - chance) / (1 - chance)


def nll(y, probabilities):
    return -np.log(probabilities[np.arange(len(y)), y]).mean()


def auroc(y, score):
    """The probability that a positive item ranks above a negative one. Ties count half."""
    above = score[y == 1][:, None] - score[y == 0][None]
    return (above > 0).mean() + (above == 0).mean() / 2


def average_precision(y, score):
    order = np.argsort(-score, kind="stable")
    hits = y[order] == 1
    return (np.cumsum(hits) / np.arange(1, len(y) + 1))[hits].mean()


def macro_auroc(y, probabilities):
    return np.mean([auroc(y == c, np.log(q / (1 - q))) for c, q in enumerate(probabilities.T)])


def ece(y, probabilities, bins=15):
    confidence = probabilities.max(1).astype(np.float32)
    correct = probabilities.argmax(1) == y
    edge = np.minimum((confidence * bins).astype(int), bins - 1)
    parts = [(edge == b) for b in range(bins)]
    return sum(abs(correct[b].mean() - confidence[b].mean()) * b.mean() for b in parts if b.any())


def topk(y, scores, k):
    return (np.argsort(-scores, axis=1)[:, :k] == y[:, None]).any(1).mean()


def multilabel_f1(sets, probabilities):
    chosen = probabilities >= 0.5
    return np.mean(2 * (chosen & (sets == 1)).sum(0) / (chosen.sum(0) + sets.sum(0)))


class Prediction:
    """The argument of compute_metrics in Trainer: transformers.EvalPrediction has these two fields, and unpacks like this."""

    def __init__(self, predictions, label_ids):
        self.predictions, self.label_ids = predictions, label_ids

    def __iter__(self):
        return iter((self.predictions, self.label_ids))

    def __getitem__(self, i):
        return (self.predictions, self.label_ids)[i]


def data():
    """Scores of a classifier that is often correct, and everything that is derived from them."""
    random = np.random.default_rng(41)
    labels = random.integers(0, CLASSES, 240)
    logits = random.normal(size=(240, CLASSES))
    logits[np.arange(240), labels] += 1.5
    logits = logits.astype(np.float32)
    weaker = (logits + random.normal(size=logits.shape) * 2).astype(np.float32)
    y01 = (labels >= 2).astype(np.int64)
    p1 = sigmoid(random.normal(size=240) + 2 * y01 - 1)
    multi = (random.random((240, CLASSES)) < 0.4).astype(np.int64)
    sigmoids = sigmoid(random.normal(size=(240, CLASSES)) + 2 * multi - 1)
    camera = np.where(np.arange(240) % 3 == 0, "indoor", "outdoor")
    probs = softmax(logits.astype(np.float64))
    return {
        "np": np, "labels": labels, "logits": logits, "probs": probs, "predicted": logits.argmax(1), "weaker": weaker, "y01": y01, "p1": p1,
        "multi": multi, "sigmoids": sigmoids, "camera": camera, "names": NAMES, "named": [NAMES[c] for c in labels],
        "eval_pred": Prediction(logits, labels), "weights": np.ones(240),
    }
