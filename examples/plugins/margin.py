"""A custom metric: the label's probability minus that of the best other class.

    assay score runs --plugin ./margin.py --metrics top1,margin:margin
"""
import numpy as np


def margin(probabilities, labels):
    """Mean over the items of the label's probability minus the highest other one."""
    rows = np.arange(len(labels))
    own = probabilities[rows, labels].astype(np.float64)
    others = probabilities.copy()
    others[rows, labels] = -1
    return own - others.max(axis=1)


metrics = {"margin": {"function": margin, "title": "Mean margin", "better": "higher", "low": -1, "high": 1}}
