"""How often intervals of `assay decide --costs` hold the true mean cost, in simulations that were defined before they were run.

An image has one of a few costs. So a sample is a draw of counts, and no scores are needed. The interval adds some
images of the highest possible cost for its upper end, and as many images of the lowest cost for its lower end, to the normal
interval of a mean. Without these images it has no width if all images cost the same. Three numbers of images were compared in
these worlds: none, max(1, (z / 1.96)^2), and z^2 / 2. The program uses the second.

    python bench/decide_cost_worlds.py
"""

import numpy as np

DRAWS, LEVELS = 20_000, {0.9: 1.6448536269514722, 0.95: 1.959963984540054, 0.99: 2.5758293035489004}
SIZES = (30, 100, 300, 1000, 5000)
# name: the lowest and the highest possible value, the values, their probabilities
WORLDS = {
    "three classes, costs 0 to 10": (0, 10, (0, 1, 3, 10), (0.8, 0.1, 0.07, 0.03)),
    "two classes, 1 and 20": (0, 20, (0, 1, 20), (0.85, 0.13, 0.02)),
    "a rare error of 100": (0, 100, (0, 1, 100), (0.9, 0.097, 0.003)),
    "a very rare error of 1000": (0, 1000, (0, 1, 1000), (0.9, 0.0995, 0.0005)),
    "abstention for half of the images": (0, 50, (0, 1, 50), (0.45, 0.5, 0.05)),
    "half of the images cost the most": (0, 1, (0, 1), (0.5, 0.5)),
    "nearly all cost the most": (0, 10, (0, 10), (0.02, 0.98)),
    "a benefit": (-5, 10, (-5, 0, 10), (0.1, 0.85, 0.05)),
    "difference, 2 % of the decisions change": (-20, 20, (-19, 0, 1), (0.005, 0.98, 0.015)),
    "difference, 30 % change": (-10, 10, (-10, -3, 0, 1, 2), (0.02, 0.05, 0.7, 0.2, 0.03)),
    "difference, 1 of 1,000 changes": (-20, 20, (-19, 0, 1), (0.0005, 0.999, 0.0005)),
}


def ends(counts, values, low, high, added, z):
    n = counts.sum(1)
    total, squares = counts @ values, counts @ values**2

    def end(extreme, sign):
        size = n + added
        mean = (total + added * extreme) / size
        variance = np.maximum((squares + added * extreme**2) / size - mean**2, 0)
        return mean + sign * z * np.sqrt(variance / size)

    return np.maximum(end(low, -1), low), np.minimum(end(high, 1), high)


def main():
    print("| level | world | n | added none: holds, width | the program's | z^2 / 2 |")
    random = np.random.default_rng(1)
    least_held = {}
    for level, z in LEVELS.items():
        for name, (low, high, values, chances) in WORLDS.items():
            values = np.array(values, float)
            true = float(values @ np.array(chances))
            for n in SIZES:
                counts = random.multinomial(n, chances, size=DRAWS)
                cells = []
                for add in (0, max(1, (z / LEVELS[0.95]) ** 2), z**2 / 2):
                    least, most = ends(counts, values, low, high, add, z)
                    holds = np.mean((least <= true + 1e-12) & (true <= most + 1e-12))
                    cells.append(f"{holds:.3f}, {np.mean(most - least):.4g}")
                    key = (level, len(cells))
                    least_held[key] = min(least_held.get(key, 1), holds)
                print(f"| {level} | {name} | {n} |", " | ".join(cells), "|")
    print("lowest proportions that held:", {f"{level}, column {i}": round(float(x), 3) for (level, i), x in least_held.items()})


if __name__ == "__main__":
    main()
