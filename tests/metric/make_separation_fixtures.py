"""Writes fixtures/separation.json: scikit-learn's values for two random samples.

Run it only to change the fixture that the tests read.
"""
import json
import random

import numpy as np
import sklearn
from sklearn.metrics import roc_auc_score, roc_curve


def case(name, first, second):
    truth = [1] * len(first) + [0] * len(second)
    fpr, tpr, _ = roc_curve(truth, first + second, drop_intermediate=False)
    return {"name": name, "first": first, "second": second,
            "auroc": float(roc_auc_score(truth, first + second)),
            "fpr95": float(fpr[np.argmax(tpr >= 0.95)])}


def drawn(seed, n, m, shift, digits):
    rng = random.Random(seed)
    return ([round(rng.gauss(shift, 1), digits) for _ in range(n)],
            [round(rng.gauss(0, 1), digits) for _ in range(m)])


cases = [case("apart", *drawn(1, 60, 50, 2, 3)), case("near", *drawn(2, 41, 80, 0.3, 3)),
         case("steps", *drawn(3, 70, 60, 1, 0)), case("the wrong way", *drawn(4, 30, 30, -1, 3)),
         case("all equal", [1.0] * 7, [1.0] * 5), case("one each", [2.0], [1.0])]
with open("fixtures/separation.json", "w") as out:
    out.write('{"scikit-learn": "%s", "cases": [\n' % sklearn.__version__)
    out.write(",\n".join(json.dumps(one) for one in cases))
    out.write("\n]}\n")
