"""Counts the differing results of torch_parity.py and opencv_parity.py, and the largest difference."""
import numpy as np


class Tally:
    def __init__(self):
        self.rows = {}

    def add(self, what, image, ours, theirs):
        row = self.rows.setdefault(what, [0, 0, 0.0, ""])
        row[0] += 1
        assert ours.shape == theirs.shape, (what, image, ours.shape, theirs.shape)
        if ours.tobytes() == theirs.tobytes():
            return
        row[1] += 1
        row[2] = max(row[2], float(np.abs(ours.astype(np.float64) - theirs.astype(np.float64)).max()))
        row[3] = row[3] or str(image)

    def report(self):
        print(f"{'':<44}{'compared':>10}{'differing':>11}  largest difference")
        for what, (compared, differing, most, where) in self.rows.items():
            print(f"{what:<44}{compared:>10,}{differing:>11,}  {most:.3g}" + (f"  first: {where}" if where else ""))

    def status(self):
        return 1 if any(row[1] for row in self.rows.values()) else 0
