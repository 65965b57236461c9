"""Runs the tests of the Python package: `run.py PART`.

PART is a module of tests, "package" (types, examples in docstrings), or "notebook" (its cells, on the data of ASSAY_DEMO).
`run.py --torch PART` runs it in the Python of tools/torch-python if it exists, otherwise in this Python if it has torch."""
import base64
import doctest
import hashlib
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SKIPPED = 77

sys.path[:0] = [str(ROOT / "python"), str(HERE)]
os.environ["PYTHONPATH"] = str(ROOT / "python")

if sys.argv[1] == "--torch":
    found = subprocess.run([ROOT / "tools/torch-python", "--if-there"], capture_output=True, text=True)
    if found.returncode == 0:
        os.execv(found.stdout.strip(), [found.stdout.strip(), __file__, *sys.argv[2:]])
    del sys.argv[1]
    if importlib.util.find_spec("torch") is None:
        print(found.stderr.strip())
        sys.exit(SKIPPED)

try:
    import numpy  # noqa: F401
except ImportError:
    print(f"SKIPPED: {sys.executable} has no NumPy")
    sys.exit(SKIPPED)


def of_docstrings():
    suite = unittest.TestSuite()
    for file in sorted((ROOT / "python/assay").glob("*.py")):
        name = "assay" if file.stem == "__init__" else f"assay.{file.stem}"
        suite.addTests(doctest.DocTestSuite(importlib.import_module(name)))
    assert suite.countTestCases() >= 2
    return suite


class Package(unittest.TestCase):
    def test_types(self):
        if subprocess.run([sys.executable, "-m", "mypy", "--version"], capture_output=True).returncode != 0:
            self.skipTest("SKIPPED: mypy is not here")
        # mypy spends most of its time on NumPy's types, which do not change between runs, so they are cached.
        cache = pathlib.Path(os.environ["ASSAY_LIBRARY"]).resolve().parent.parent / "mypy_cache"
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir", cache, "assay"],
            cwd=ROOT / "python", capture_output=True, text=True,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_import_opens_neither_numpy_nor_the_library(self):
        script = "import sys, assay; assert 'numpy' not in sys.modules and assay._library._library is None, sorted(sys.modules)"
        subprocess.run([sys.executable, "-c", script], check=True)

    def test_every_name_is_there(self):
        import assay

        for name in assay.__all__:
            self.assertIsNotNone(getattr(assay, name))
        with self.assertRaisesRegex(AttributeError, "nothing"):
            assay.nothing
        self.assertEqual(assay.version(), assay.__version__)

    def test_a_library_that_is_none_is_named(self):
        script = "import assay; assay.version()"
        for path, text in (("/nowhere.so", "/nowhere.so"), ("/bin/true", "/bin/true")):
            done = subprocess.run(
                [sys.executable, "-c", script], env={**os.environ, "ASSAY_LIBRARY": path}, capture_output=True, text=True
            )
            self.assertIn("the library of Assay cannot be opened", done.stderr)
            self.assertIn(text, done.stderr)

    def test_a_build_without_the_library_makes_no_wheel(self):
        script = "import assay_build; assay_build.build_wheel('.')"
        with tempfile.TemporaryDirectory() as build:
            for made, text in ((None, "holds no lib/"), ("lib", "has no lib/libassay.so: `cmake --build ")):
                if made:
                    (pathlib.Path(build) / made).mkdir()
                done = subprocess.run(
                    [sys.executable, "-c", script], env={**os.environ, "ASSAY_BUILD": build, "PYTHONPATH": str(ROOT / "python")},
                    capture_output=True, text=True, cwd=build,
                )
                self.assertEqual(done.returncode, 1)
                self.assertTrue(done.stderr.startswith("assay: error: ASSAY_BUILD="), done.stderr)
                self.assertIn(text, done.stderr)

    def test_the_wheel_holds_what_it_needs(self):
        build = pathlib.Path(os.environ["ASSAY_LIBRARY"]).resolve().parent.parent
        if not (build / "cmake_install.cmake").is_file():
            self.skipTest(f"SKIPPED: {build} is no build folder")
        with tempfile.TemporaryDirectory() as scratch:
            script = "import assay_build, sys; print(assay_build.build_wheel(sys.argv[1]))"
            made = subprocess.run(
                [sys.executable, "-c", script, scratch], env={**os.environ, "ASSAY_BUILD": str(build), "PYTHONPATH": str(ROOT / "python")},
                capture_output=True, text=True,
            )
            self.assertEqual(made.returncode, 0, made.stderr)
            there = pathlib.Path(scratch) / "site"
            with zipfile.ZipFile(pathlib.Path(scratch) / made.stdout.strip()) as wheel:
                wheel.extractall(there)
                rows = [line.rsplit(",", 2) for line in wheel.read(f"assay_classifiers-{assay_version()}.dist-info/RECORD").decode().splitlines()]
                for name, digest, size in rows[:-1]:
                    data = wheel.read(name)
                    self.assertEqual(len(data), int(size))
                    self.assertEqual(digest, "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode())
                self.assertEqual({row[0] for row in rows}, set(wheel.namelist()))
            self.assertFalse(list(there.glob("assay/_native/*.cmake")))
            self.assertTrue((there / "assay/_native/torch-plugin/torch_plugin.cpp").is_file())
            for program in ("assay", "assay-model"):
                if (there / "assay/_native" / program).exists():  # extractall does not restore file modes
                    (there / "assay/_native" / program).chmod(0o755)
            alone = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
            script = (
                "import assay, os; assert assay.score([[0.1, 0.9], [0.8, 0.2]], [1, 1])['top1'].value == 0.5; "
                "print(assay._library.candidates()[0], assay.command.program(), assay.run('version', '--json').json['version'])"
            )
            done = subprocess.run(
                [sys.executable, "-c", script], env={**alone, "PYTHONPATH": str(there)}, capture_output=True, text=True, cwd=scratch
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            native = there.resolve() / "assay/_native"
            self.assertEqual(done.stdout.split(), [str(native / assay_file()), str(native / "assay"), assay_version()])


def assay_version():
    import assay

    return assay.__version__


def assay_file():
    from assay._library import FILE

    return FILE


def notebook():
    import json

    cells = json.loads((ROOT / "examples/python/walkthrough.ipynb").read_text())["cells"]
    names = {}
    for number, cell in enumerate(cells):
        if cell["cell_type"] != "code":
            continue
        exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
    print(f"{sum(cell['cell_type'] == 'code' for cell in cells)} cells ran")


def main(part):
    if part == "notebook":
        notebook()
        return 0
    loader = unittest.defaultTestLoader
    suite = unittest.TestSuite([loader.loadTestsFromTestCase(Package), of_docstrings()]) if part == "package" else loader.loadTestsFromName(part)
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    for test, reason in result.skipped:
        print(f"{test}: {reason}")
    if result.wasSuccessful() and 0 < result.testsRun == len(result.skipped):
        return SKIPPED
    return 0 if result.wasSuccessful() and result.testsRun > 0 else 1


if __name__ == "__main__":  # a worker process that a test starts reads this file, too
    sys.exit(main(sys.argv[1]))
