"""Coverage of the intervals of `assay compare --by ... --cluster ...`: of all groups' differences together, and of the lowest true difference.

usage: python3 bench/compare_cluster_coverage.py [draws]     (numpy, scipy; default: 1000 draws of every world)

A model is correct on an image if a normal number is below a threshold. This number is a sum of four parts: one that the images of a cluster share
for both models (`hard`), one that they share for this model alone (`own`), one that both models share on this image (.3), and noise. `own` makes
the differences of a cluster's images alike. Clusters lie within groups, or cross all of them. `uneven` clusters have 1 to 4 times as many images as
the smallest. The candidate's accuracy is the same in every group, or lower by 0 to 10 points. This is another implementation of
src/evaluate/compare_cluster_groups.cpp.
"""

from __future__ import annotations

import sys
import time
from typing import Any, Tuple

import numpy as np
from scipy.stats import norm, t as student

#         groups, clusters of each, images, accuracy, kind
WORLDS = [
    (1, 30, 5, 0.9, "within"),
    (1, 5, 20, 0.8, "within"),
    (5, 12, 8, 0.8, "within"),
    (8, 30, 4, 0.9, "within"),
    (20, 8, 10, 0.8, "within"),
    (30, 5, 6, 0.9, "within"),
    (20, 5, 20, 0.95, "within"),
    (8, 40, 5, 0.99, "within"),
    (50, 20, 5, 0.8, "within"),
    (10, 12, 4, 0.8, "uneven"),
    (10, 40, 2, 0.8, "crossed"),
    (10, 40, 1, 0.9, "crossed"),
]
#             hard, own
STRUCTURES = [(0.0, 0.0), (0.4, 0.0), (0.2, 0.2), (0.1, 0.6)]
SHARED = 0.3
