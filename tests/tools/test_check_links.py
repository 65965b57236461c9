"""Tests of tools/check-links and of the parts of the docs site (tools/docs-site)."""
import contextlib
import importlib.util
import io
import pathlib
import re
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader

sys.dont_write_bytecode = True
TOOLS = pathlib.Path(__file__).resolve().parent.parent.parent / "tools"


def loaded(name, path):
    spec = importlib.util.spec_from_loader(name, SourceFileLoader(name, str(path)))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


check_links = loaded("check_links", TOOLS / "check-links")
hooks = loaded("hooks", TOOLS / "docs-site/hooks.py")
check_site = loaded("check_site", TOOLS / "docs-site/check_site.py")


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


class Links(InFolder):
    def problems(self, text, name="docs/a.md"):
        return check_links.problems(self.write(name, text), self.root)[0]

    def test_anchors_are_those_of_github(self):
        for heading, anchor in (("Ranks: MPI", "ranks-mpi"), ("`assay.toml` keys", "assaytoml-keys"), ("From C++", "from-c"),
                                ("Predictions from other tools: assay import", "predictions-from-other-tools-assay-import"),
                                ("a & b", "a--b"), ("[eval](eval.md), in one_word", "eval-in-one_word"), ("Über *uns*", "über-uns")):
            self.assertEqual(check_links.anchor(heading), anchor)

    def test_repeated_headings_are_numbered(self):
        self.assertEqual(check_links.anchors_of("# Use\n\n## Use\n\n```\n# not one\n```\n"), {"use", "use-1"})

    def test_files_and_anchors_that_exist_are_fine(self):
        self.write("docs/b.md", "# B\n\n## Part two\n")
        self.assertEqual(self.problems("# A\n\n[b](b.md), [part](b.md#part-two), [here](#a), [`x`](../docs/b.md), [w](https://e.org/#x)\n"), [])

    def test_what_does_not_hold_is_named_with_its_line(self):
        self.write("docs/b.md", "# B\n\n## Part two\n")
        found = self.problems("# A\n\n[x](c.md)\n[y](b.md#part-three)\n[z](/b.md)\n[out](../../etc)\n")
        self.assertEqual([line for line, _ in found], [3, 4, 5, 6])
        self.assertIn("c.md: there is no such file", found[0][1])
        self.assertIn("no heading has this anchor (for example: #part-two", found[1][1])
        self.assertIn("leads out of the repository", found[2][1])
        self.assertIn("leads out of the repository", found[3][1])

    def test_code_has_no_links(self):
        self.assertEqual(self.problems("`[a](b.md)` is code.\n\n    [c](d.md)\n\n```\n[e](f.md)\n```\n"), [])

    def test_the_command(self):
        self.write("docs/a.md", "# A\n\n[b](b.md)\n")
        for arguments, status, text in (([], 1, "docs/a.md:3: b.md: there is no such file"), ([str(self.root / "no.md")], 2, "no such file"),
                                        (["--fix"], 2, "usage: ")):
            with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
                self.assertEqual(check_links.main(arguments, self.root), status)
            self.assertIn(text, out.getvalue())

    def test_the_repository(self):
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(check_links.main([]), 0, out.getvalue())


class Site(InFolder):
    def test_only_what_a_page_loads_counts(self):
        self.write("a.css", "/* url(https://e.org/x) */ p { background: url(b.png) }")
        self.write("b.png", "")
        self.write("index.html", '<link rel="canonical" href="https://e.org/"><link rel="stylesheet" href="a.css?v=1">'
                                 '<a href="https://e.org/">e</a><img src="b.png"><img src="data:image/png;base64,AA==">')
        self.assertEqual(check_site.problems(self.root), ([], 1))

    def test_another_host_and_missing_files_are_named(self):
        self.write("a.css", "@import 'https://e.org/x.css';")
        self.write("index.html", '<script src="//e.org/a.js"></script><img src="c.png"><style>p { background: url("https://e.org/p.png") }</style>')
        found, _ = check_site.problems(self.root)
        self.assertEqual([file for file, _ in found], ["a.css", "index.html", "index.html", "index.html"])
        self.assertIn("//e.org/a.js from another host", found[1][1])
        self.assertIn("c.png, which is missing", found[2][1])
        self.assertIn("https://e.org/p.png from another host", found[3][1])


class Lists(unittest.TestCase):
    """Each page is in the menu of the site, and each command in docs/commands.md and in a group of `assay --help`."""

    ROOT = TOOLS.parent

    def test_the_menu_has_every_page_once(self):
        menu = re.findall(r": ([\w.-]+\.md)$", (self.ROOT / "mkdocs.yml").read_text(), flags=re.MULTILINE)
        self.assertEqual(sorted(menu), sorted(path.name for path in (self.ROOT / "docs").glob("*.md")))

    def test_every_command_is_listed(self):
        commands = re.findall(r'^        \{"([a-z]+)", ', (self.ROOT / "src/cli/commands.cpp").read_text(), flags=re.MULTILINE)
        self.assertGreater(len(commands), 30)
        page = (self.ROOT / "docs/commands.md").read_text()
        help_groups = (self.ROOT / "src/cli/main.cpp").read_text().split("command_groups()")[1].split("return groups")[0]
        readme = (self.ROOT / "README.md").read_text().split("## All commands")[1].split("## ")[0]
        for command in commands:
            self.assertIn(f"| `assay {command}` |", page)
            self.assertIn(f'"{command}"', help_groups)
            self.assertIn(f"`{command}`", readme)


class Hooks(unittest.TestCase):
    def test_what_belongs_to_an_item_is_indented_by_four(self):
        self.assertEqual(hooks.nested("- a\n  more\n\n  - b\n    c\n\nText\n"), "- a\n    more\n\n    - b\n      c\n\nText\n")
        self.assertEqual(hooks.nested("1. a\n\n       code\n"), "1. a\n\n        code\n")

    def test_an_item_after_paragraphs_begins_after_an_empty_line(self):
        self.assertEqual(hooks.nested("- a\n\n  more\n- b\n- c\n"), "- a\n\n    more\n\n- b\n- c\n")

    def test_code_and_plain_text_stay(self):
        for text in ("Text\n\n    code\n", "```\n- a\n  b\n```\n", "- a\n- b\n"):
            self.assertEqual(hooks.nested(text), text)

    def test_files_of_the_repository_are_copied_under_names_that_browsers_show(self):
        self.assertEqual(hooks.copied("examples/clusters/slurm.sh"), "repository/examples/clusters/slurm.sh.txt")
        self.assertEqual(hooks.copied("docs/pictures/a.png"), "repository/docs/pictures/a.png")

    def test_no_script_of_another_host_is_left(self):
        page = '<script src="https://unpkg.com/iframe-worker/shim"></script>'
        self.assertEqual(hooks.without_other_hosts(page, "../"), '<script src="../assets/file-search.js"></script>')


if __name__ == "__main__":
    unittest.main()
