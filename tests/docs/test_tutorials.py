"""Tests of tutorials.py: which lines count as equal, and that it finds differences."""
import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import tutorials  # noqa: E402


class Texts(unittest.TestCase):
    def test_commands_are_read_with_what_they_print(self):
        page = "# T\n\n```console\n$ a b\nout\n$ c\n```\n\n```sh\n$ d\n```\n"
        self.assertEqual(tutorials.commands_of(page), [(4, "a b", ["out"]), (6, "c", [])])

    def test_numbers_and_names_of_classes_count_as_equal(self):
        for shown, printed in (("top1 %  75.7 ±2.1", "top1 %  7.0 ±13.8"), ("leaf   80  50.0 (39.3 – 60.7)", "bird  9  1.0 (0.3 – 2.7)"),
                               ("p < 1e-6", "p 0.031"), ("house/house_00028.png  0.0", "fish/fish_00001.png  99.9"), ("────", "──────"),
                               ("standard overfit", "overfit-scaled standard"), ("1  ✓  ████", "22  █▎")):
            self.assertIsNone(tutorials.differs([shown], [printed]), shown)

    def test_another_word_a_missing_or_an_additional_line_is_found(self):
        self.assertEqual(tutorials.differs(["top1 %  75.7"], ["top5 %  75.7"]), None)  # a digit counts as a number, also in names
        self.assertEqual(tutorials.differs(["ece  1"], ["nll  1"]), "ece #")
        self.assertEqual(tutorials.differs(["a", "b"], ["a"]), "b")
        self.assertEqual(tutorials.differs(["a"], ["a", "b"]), "nothing, but `b` is printed")
        self.assertEqual(tutorials.differs(["b", "a"], ["a", "b"]), "b")

    def test_dots_stand_for_any_lines(self):
        self.assertIsNone(tutorials.differs(["...", "c", "..."], ["a", "b", "c", "d"]))
        self.assertIsNone(tutorials.differs(["a", "...", "d"], ["a", "d"]))
        self.assertEqual(tutorials.differs(["...", "x"], ["a", "b"]), "x")


class Pages(unittest.TestCase):
    def run_page(self, text):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "tutorial-x.md"
            page.write_text(text)
            with contextlib.redirect_stdout(io.StringIO()):
                return tutorials.run(page, pathlib.Path("/bin/echo"), pathlib.Path(os.sep))

    def test_a_page_that_holds_has_no_problems(self):
        self.assertEqual(self.run_page("```console\n$ assay score runs\nscore runs\n$ false\n$ echo $?\n1\n```\n"), [])

    def test_problems_have_their_line_and_command(self):
        problem, = self.run_page("```console\n$ assay score runs\nscore run\n```\n")
        self.assertIn("tutorial-x.md:2: `assay score runs`: the page shows score run", problem)
        problem, = self.run_page("```console\n$ false\n```\n")
        self.assertIn("`false`: status 1", problem)
        problem, = self.run_page("```console\n$ true\n$ echo $?\n1\n```\n")
        self.assertIn("the page shows status 1, and it is 0", problem)
        self.assertEqual(self.run_page("# Nothing\n"), ["tutorial-x.md: no commands"])


if __name__ == "__main__":
    unittest.main()
