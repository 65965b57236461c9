"""Runs lines that users of other libraries type (habits/lines.py), and compares each value with NumPy and with that library."""
import ast
import importlib.util
import math
import os
import unittest
from collections.abc import Mapping

import numpy as np

import assay
from habits import closed
from habits.lines import LINES, Refused

_FORMULAS = {name: value for name, value in vars(closed).items() if callable(value)}


def run(line, names):
    """The value of the last expression of the line."""
    *before, last = ast.parse(line).body
    exec(compile(ast.Module(before, []), "line", "exec"), names)
    return eval(compile(ast.Expression(last.value), "line", "eval"), names)


def same(found, expected):
    if isinstance(expected, Mapping):
        return isinstance(found, Mapping) and list(found) == list(expected) and all(same(found[key], value) for key, value in expected.items())
    if isinstance(expected, np.ndarray) and expected.dtype.kind in "fiu":
        return np.shape(found) == expected.shape and np.allclose(np.asarray(found, float), expected, rtol=2e-6)
    if isinstance(expected, np.ndarray):
        return np.array_equal(found, expected)
    if isinstance(expected, list):
        return len(found) == len(expected) and all(same(a, b) for a, b in zip(found, expected))
    if isinstance(expected, (float, np.floating)):
        return hasattr(found, "__float__") and math.isclose(float(found), expected, rel_tol=2e-6)
    return bool(np.all(found == expected))


class Habits(unittest.TestCase):
    def test_each_line_gives_its_value(self):
        ran, missing, wrong = 0, 0, []
        for habit in LINES:
            if any(importlib.util.find_spec(name) is None for name in habit.needs):
                missing += 1
                continue
            names = {"assay": assay, **closed.data()}
            expected = eval(habit.value, {**_FORMULAS, **names, "Refused": Refused})
            try:
                found = run(habit.line, names)
                fine = not isinstance(expected, Refused) and same(found, expected)
            except Exception as error:
                found = f"{type(error).__name__}: {error}"
                fine = isinstance(expected, Refused) and isinstance(error, assay.Error) and all(text in str(error) for text in expected.texts)
            ran += fine
            if not fine:
                wrong.append(f"{habit.line}\n    gives {str(found)[:200]}\n    not   {getattr(expected, 'texts', expected)}\n    {habit.page}")
        print(f"{ran} of {len(LINES)} lines of other libraries give their value; {missing} need a package that is not installed")
        if wrong:
            self.fail("\n" + "\n".join(wrong))

    def test_the_values_are_those_of_the_libraries_themselves(self):
        compared = set()
        for habit in LINES:
            package = habit.peer.split("'")[1].split(".")[0] if habit.peer else ""
            if not package or importlib.util.find_spec(package) is None:
                continue
            names = {**_FORMULAS, **closed.data(), "Refused": Refused}
            expected, found = eval(habit.value, names), np.asarray(eval(habit.peer, names), float)
            np.testing.assert_allclose(found, expected, rtol=2e-6, err_msg=habit.peer)
            compared.add(habit.peer)
        if not compared:
            self.skipTest("SKIPPED: neither scikit-learn nor torchmetrics nor cleanlab is installed")
        print(f"{len(compared)} values compared with the libraries themselves")


if __name__ == "__main__":
    unittest.main()
