"""Runs the code of docs/coming-from-*.md with the packages that they name, and checks the values that both columns show.

A table row whose last column has numbers has an expression for each side. One number is the value of both. Two numbers are those
of the other package and of Assay, and must differ. `yes` means that both are equal. It is for values that depend on the machine.
"""
import importlib.metadata
import pathlib
import re
import unittest
import warnings

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
NEEDS = {
    "torchmetrics": ["torchmetrics", "torch"],
    "scikit-learn": ["scikit-learn"],
    "netcal": ["netcal", "uncertainty-calibration"],
    "cleanlab": ["cleanlab"],
    "robustbench": ["robustbench", "torch"],
    "timm": ["timm", "torch"],
}


def blocks_and_rows(text):
    """Returns the Python blocks as one program, and the rows with values: (their expression, Assay's expression, [numbers] or None for
    `yes`)."""
    program = "\n".join(re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL))
    rows = []
    for theirs, ours, value in re.findall(r"^\| `([^|]+)` \| `([^|]+)` \| ([\d., ]+|yes) \|$", text, flags=re.MULTILINE):
        rows.append((theirs, ours, None if value == "yes" else value.split(", ")))
    return program, rows


class ComingFrom(unittest.TestCase):
    def page(self, name, least):
        for package in NEEDS[name]:
            try:
                importlib.metadata.version(package)
            except importlib.metadata.PackageNotFoundError:
                self.skipTest(f"SKIPPED: {package} is not installed: pip install {package}")
        program, rows = blocks_and_rows((DOCS / f"coming-from-{name}.md").read_text())
        self.assertGreaterEqual(len(rows), least)
        names = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec(compile(program, f"coming-from-{name}.md", "exec"), names)
            except ModuleNotFoundError as error:
                if error.name.split(".")[0] == "assay":
                    raise
                self.skipTest(f"SKIPPED: {error.name} is not installed, which {name} needs")
            for theirs, ours, values in rows:
                with self.subTest(theirs=theirs, ours=ours):
                    found = float(eval(theirs, names)), float(eval(ours, names))
                    print(f"{theirs}\n  {found[0]:.8f}\n{ours}\n  {found[1]:.8f}")
                    if values is None or len(values) == 1:
                        self.assertAlmostEqual(*found, delta=2e-7 + 1e-6 * abs(found[0]))
                    else:
                        self.assertGreater(abs(found[0] - found[1]), 1e-4)
                    for value, number in zip((values or []) * (2 if values and len(values) == 1 else 1), found):
                        digits = len(value.partition(".")[2])
                        self.assertLessEqual(abs(number - float(value)), 0.5001 * 10**-digits, f"the page has {value}")

    def test_torchmetrics(self):
        self.page("torchmetrics", 18)

    def test_scikit_learn(self):
        self.page("scikit-learn", 21)

    def test_netcal(self):
        self.page("netcal", 7)

    def test_cleanlab(self):
        self.page("cleanlab", 3)

    def test_robustbench(self):
        self.page("robustbench", 1)

    def test_timm(self):
        self.page("timm", 3)


class Reading(unittest.TestCase):
    def test_rows_with_values_are_read(self):
        program, rows = blocks_and_rows("```python\na = 1\n```\n| `a` | `a + 1` | 1.00, 2.00 |\n| `a` | `a` | yes |\n| `a` | no code | 1 |\n")
        self.assertEqual(program, "a = 1\n")
        self.assertEqual(rows, [("a", "a + 1", ["1.00", "2.00"]), ("a", "a", None)])


if __name__ == "__main__":
    unittest.main()
