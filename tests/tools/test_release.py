"""Tests of tools/release in a small tree whose tools make small files: which files it keeps, builds again, skips and refuses.

Also: tools/test-release runs each line of the docs that installs something, and tools/test-wheel refuses bad wheels.
"""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True


def tool(name):
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(ROOT / "tools" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


release, trial = tool("release"), tool("test-release")

WHEEL = """#!/bin/sh
machine=$3 out=$4
if [ "$machine" = aarch64 ]; then echo "error: not here: a cross compiler; apt-get install it" >&2; exit 2; fi
echo made >>built
mkdir -p build/wheel-$machine/contents/sboms
echo '{}' >build/wheel-$machine/contents/sboms/assay.spdx.json
echo wheel >"$out/assay-$machine.whl"
"""
PACKAGE = """#!/bin/sh
if [ -e broken ]; then echo "a compiler's error" >&2; exit 1; fi
echo deb >"$2/assay_1.2.3.deb"
echo sums >"$2/SHA256SUMS"
"""
BACK_END = 'def build_sdist(folder):\n    open(folder + "/source.tar.gz", "w").write("source")\n'
CHANGELOG = "# Changelog\n\n## Unreleased\n\nNext things.\n\n## 1.2.3 - 2026-11-27\n\nThese things.\n\n## 1.2.2\n\nOlder things.\n"


class Releases(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name).resolve() / "tree"
        self.out = self.root.parent / "out ü"
        self.write("CMakeLists.txt", "project(assay VERSION 1.2.3 LANGUAGES C)\n")
        self.write("CHANGELOG.md", CHANGELOG)
        self.write("python/assay_build.py", BACK_END)
        for name, text in (("wheel", WHEEL), ("package", PACKAGE)):
            self.write(f"tools/{name}", text)
            (self.root / "tools" / name).chmod(0o755)
        self.git("init", "-q")
        self.git("config", "user.email", "test@example.org")
        self.git("config", "user.name", "test")
        self.commit()
        self.git("tag", "v1.2.3")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def git(self, *arguments):
        subprocess.run(["git", *arguments], cwd=self.root, check=True, capture_output=True)

    def commit(self):
        self.git("add", "CMakeLists.txt", "CHANGELOG.md", "python", "tools")
        self.git("commit", "-q", "-m", "state")

    def run_release(self, *arguments):
        out, said = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
            status = release.main([*arguments, str(self.out)], self.root)
        return status, out.getvalue(), said.getvalue()

    def made(self):
        return sorted(path.name for path in self.out.iterdir() if not path.name.startswith("."))

    def times_built(self):
        return (self.root / "built").read_text().count("made")

    def test_all_parts_and_a_skipped_one_are_said(self):
        status, out, said = self.run_release()
        self.assertEqual(status, 3, said)
        self.assertIn("wheel-aarch64: SKIPPED: not here: a cross compiler; apt-get install it", said)
        files = ["CHANGELOG-1.2.3.md", "assay-1.2.3-linux-x86_64.spdx.json", "assay-x86_64.whl", "assay_1.2.3.deb", "source.tar.gz"]
        self.assertEqual(self.made(), sorted([*files, "SHA256SUMS"]))
        self.assertEqual((self.out / "CHANGELOG-1.2.3.md").read_text(), "These things.\n")
        for name in files:
            self.assertIn(name, out)
        checked = subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=self.out, capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stdout.count(": OK")), (0, len(files)), checked.stdout)

    def test_what_is_there_is_kept_and_what_changed_is_made_again(self):
        self.run_release()
        self.run_release()
        self.assertEqual(self.times_built(), 1)
        (self.out / "assay-x86_64.whl").write_text("damaged")
        self.assertIn("wheel-x86_64: making (assay-x86_64.whl is another one)", self.run_release()[2])
        (self.out / "assay-x86_64.whl").unlink()
        self.assertIn("wheel-x86_64: making (assay-x86_64.whl is gone)", self.run_release()[2])
        self.assertEqual(self.times_built(), 3)
        (self.out / ".parts/wheel-x86_64.json").write_text("{")
        self.run_release()
        self.assertEqual(self.times_built(), 4)
        self.write("CHANGELOG.md", CHANGELOG.replace("These", "Those"))
        said = self.run_release("--draft")[2]
        self.assertIn("wheel-x86_64: making (made from other sources)", said)
        self.assertIn("Those", (self.out / "CHANGELOG-1.2.3.md").read_text())
        self.run_release("--draft")
        self.assertEqual(self.times_built(), 5)

    def test_files_of_an_earlier_release_go_away(self):
        self.run_release("--only", "notes,source")
        self.write("CMakeLists.txt", "project(assay VERSION 1.2.4 LANGUAGES C)\n")
        self.run_release("--draft", "--only", "notes")
        self.assertEqual(self.made(), ["CHANGELOG-1.2.4.md", "SHA256SUMS", "source.tar.gz"])
        self.assertEqual((self.out / "CHANGELOG-1.2.4.md").read_text(), "Next things.\n")
        self.assertNotIn("source.tar.gz", (self.out / "SHA256SUMS").read_text())  # this file was built from other sources

    def test_a_failed_part_stops_no_other_and_leaves_nothing(self):
        self.write("broken", "")
        status, _, said = self.run_release("--only", "debs", "--only", "source")
        self.assertEqual(status, 2)
        self.assertIn("a compiler's error", said)
        self.assertIn("`tools/package --debs", said)
        self.assertEqual(self.made(), ["SHA256SUMS", "source.tar.gz"])
        self.assertFalse([path for path in self.out.iterdir() if path.name.startswith(".debs")])
        (self.root / "broken").unlink()
        self.assertEqual(self.run_release("--only", "debs")[0], 0)

    def test_a_dry_run_makes_nothing(self):
        self.run_release("--only", "notes")
        status, out, said = self.run_release("--dry-run")
        self.assertEqual((status, out), (0, ""))
        self.assertIn("notes: kept", said)
        self.assertIn("debs: to make: not made yet", said)
        self.assertFalse((self.root / "built").exists())

    def test_what_is_refused(self):
        self.write("python/assay_build.py", "# changed\n" + BACK_END)
        status, _, said = self.run_release()
        self.assertEqual(status, 2)
        self.assertIn("there are uncommitted changes (M python/assay_build.py", said)
        self.commit()
        self.assertIn("this commit has no tag v1.2.3", self.run_release()[2])
        self.git("tag", "-f", "v1.2.3")
        self.assertEqual(self.run_release("--only", "notes")[0], 0)
        self.write("CHANGELOG.md", "# Changelog\n\n## Unreleased\n")
        self.commit()
        self.assertIn("CHANGELOG.md has no section `## 1.2.3`", self.run_release()[2])
        status, _, said = self.run_release("--only", "debs,wheels")
        self.assertEqual(status, 2)
        self.assertIn("--only wheels: no such part; allowed: notes, source,", said)

    def test_a_section_ends_where_the_next_begins(self):
        for heading in ("1.2.3", "[1.2.3]", "1.2.3 - 2026-11-27", "[1.2.3] - 2026-11-27"):
            self.assertEqual(release.section_of(f"# C\n\n## {heading}\n\na\n\n### b\n\n## 1.2.2\nc\n", "1.2.3"), "a\n\n### b\n")
        self.assertIsNone(release.section_of("## 1.2.30\na\n", "1.2.3"))

    def test_records_are_json_that_names_the_seconds(self):
        self.run_release("--only", "source")
        record = json.loads((self.out / ".parts/source.json").read_text())
        self.assertEqual(list(record["files"]), ["source.tar.gz"])
        self.assertGreaterEqual(record["seconds"], 0)


class Trials(unittest.TestCase):
    def test_every_line_of_the_docs_is_typed_somewhere(self):
        lines = {page: list(trial.lines_of((ROOT / page).read_text())) for page in trial.DOCS}
        for page, commands in lines.items():
            self.assertTrue(commands, page)
            for command in commands:
                place = trial.place_of(command)
                self.assertTrue(place is None or hasattr(trial.Machine, f"type_{place}"), (page, command))
        self.assertIn("pip install .", lines["README.md"])
        with self.assertRaisesRegex(trial.Failed, "add it to PLACES"):
            trial.place_of("pip install assay")

    def test_a_wheel_is_refused_before_a_system_is_made(self):
        with tempfile.TemporaryDirectory() as folder:
            cases = (("none_x86_64.whl", False, "no file"), ("bullseye", False, "no wheel"),
                     ("assay-win_amd64.whl", True, "ends in _x86_64.whl or _aarch64.whl"))
            for name, made, said in cases:
                path = pathlib.Path(folder, name)
                if made:
                    path.write_text("")
                done = subprocess.run([ROOT / "tools/test-wheel", path], capture_output=True, text=True)
                self.assertEqual(done.returncode, 2)
                self.assertIn(said, done.stderr)
                self.assertTrue(done.stderr.endswith("`tools/wheel` makes one\n"), done.stderr)


if __name__ == "__main__":
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]
    unittest.main()
