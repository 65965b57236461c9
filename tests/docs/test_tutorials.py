"""Tests of tutorials.py and servers.py: lines that count as equal, the behaviour of a server, and the detection of differences."""
import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import servers  # noqa: E402
import tutorials  # noqa: E402


class Texts(unittest.TestCase):
    def test_commands_are_read_with_what_they_print(self):
        page = "# T\n\n```console\n$ a b\nout\n$ c\n```\n\n```sh\n$ d\n```\n"
        self.assertEqual(tutorials.commands_of(page), [(4, "a b", ["out"]), (6, "c", [])])

    def test_numbers_and_names_of_classes_count_as_equal(self):
        for shown, printed in (("top1 %  75.7 ±2.1", "top1 %  7.0 ±13.8"), ("nll  0.88 ±0.08", "nll  0.88 (0.81 – 0.97)"),
                               ("leaf   80  50.0 (39.3 – 60.7)", "bird  9  1.0 (0.3 – 2.7)"),
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


SERVER = """import sys, time
try:
    print("(organiser)  http://127.0.0.1:1/organiser#k", flush=True)
    for i in range(1, int(sys.argv[1])):
        time.sleep(0.1)
        print(f"a{i}  http://127.0.0.1:1/#{i}.k", flush=True)
    time.sleep(60 if "stay" in sys.argv else 0)
except KeyboardInterrupt:
    print("interrupted", file=sys.stderr)
    sys.exit(130)
"""


class Servers(unittest.TestCase):
    def serve(self, words, use):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "server.py").write_text(SERVER)
            return servers.serve(f"{sys.executable} server.py {words}", pathlib.Path(folder), os.environ, use)

    def test_all_links_are_printed_before_they_are_used(self):
        used = []
        out, said, status = self.serve("3 stay --annotator anna --annotator=ben", used.append)
        self.assertEqual((used, said, status), ([out], "interrupted\n", 0))
        self.assertIn("http://127.0.0.1:1/#2.k\n", out)

    def test_problems_are_a_status(self):
        _, said, status = self.serve("2 --annotator anna --annotator ben", self.fail)
        self.assertEqual((said, status), ("\nit printed 2 of 3 links", 1))

        def refuse(text):
            raise RuntimeError("refused")
        _, said, status = self.serve("1 stay", refuse)
        self.assertEqual((said, status), ("interrupted\n\nrefused", 1))


if __name__ == "__main__":
    unittest.main()
