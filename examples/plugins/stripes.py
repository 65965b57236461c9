"""A custom corruption: dark horizontal stripes, at another height in each image.

    assay corrupt val --out val-striped --plugin ./stripes.py --corruptions stripes:stripes
"""
import numpy as np

KEPT = (80, 60, 40, 20, 0)  # brightness in percent


def stripes(image, severity, seed):
    """The brightness of the stripes is .8, .6, .4, .2 or 0."""
    striped = (np.arange(image.shape[0]) + seed % 16) % 16 < 4
    out = image.copy()
    out[striped] = out[striped].astype(np.int64) * KEPT[severity - 1] // 100
    return out


corruptions = {"stripes": stripes}
