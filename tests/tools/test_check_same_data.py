"""Tests of tools/check-same-data: which lines compare ids, fingerprints and names of data sets, and that the tree has none."""
import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("check_same_data", str(ROOT / "tools" / "check-same-data"))
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_same_data", loader))
loader.exec_module(check)


class Comparisons(unittest.TestCase):
    def test_of_values_that_tell_data_apart_are_found(self):
        for line in [
            "if (a.spec().dataset_name == b.spec().dataset_name) return;",
            "if (store.spec().dataset_name != name) continue;",
            "return name == store.spec().dataset_name;",
            "same = one.dataset().ids == two.dataset().ids;",
            "if (model.ids() != other->classes.ids()) return;",
            "return dataset.ids_fingerprint() == record.ids_hash;",
            "if (ids_hash != wanted) refuse();",
            "if (hasher.digest() == stored) return true;",
            "if (a.labels_hash == b.labels_hash && more) return;",
            "           recorded.dataset_id != wanted.dataset_id) {",
            "if (reports[i].dataset == reports[k].dataset) continue;",
            "if (!(items.dataset.ids == existing.ids)) note();",
            "return std::ranges::equal(one.ids, two.ids);",
            "if (specs[0].model_hash.compare(file) == 1) return;",
        ]:
            with self.subTest(line):
                self.assertEqual([number for number, _ in check.comparisons("\n" + line)], [2])

    def test_other_lines_are_not(self):
        for line in [
            'refuse("a.ids == b.ids");',
            "// stores whose a.dataset_name == b.dataset_name",
            "if (whole_hash != nullptr) *whole_hash = hash;",
            "if (options.ids != nullptr) how.ids = texts_of(*options.ids);",
            "if (spec.model_name == wanted.model_name) return;",
            "if (known.names() == known.ids()) return;",
            "if (i == ids || dataset == nullptr) continue;",
            "if (a.ids.size() == b.ids.size()) return;",
            "spec.ids_hash = dataset.ids_fingerprint();",
            "store::same_items(one, two);",
        ]:
            with self.subTest(line):
                self.assertEqual(check.comparisons(line), [])

    def test_of_two_lists_are_found_though_their_names_differ(self):
        self.assertEqual(len(check.comparisons("if (one.names() == two.ids()) return;")), 1)


class Allowed(unittest.TestCase):
    def test_goes_by_file_and_line(self):
        rows = [("src/a/b.cpp", "x.ids == y.ids", "why")]
        self.assertTrue(check.is_allowed("src/a/b.cpp", "if (x.ids == y.ids) {", rows))
        self.assertFalse(check.is_allowed("src/a/c.cpp", "if (x.ids == y.ids) {", rows))
        self.assertFalse(check.is_allowed("src/a/b.cpp", "if (x.ids == z.ids) {", rows))

    def test_each_says_what_it_asks(self):
        for file, part, why in check.ALLOWED:
            self.assertTrue((ROOT / file).is_file(), file)
            self.assertGreater(len(why.split()), 3, part)


class Tree(unittest.TestCase):
    def test_has_no_such_comparison(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = check.main([])
        self.assertEqual((status, said.getvalue()), (0, ""))

    def test_the_home_is_looked_at_by_nobody(self):
        names = {path.relative_to(ROOT).as_posix() for path in check.sources(["src"])}
        self.assertNotIn("src/store/same_data.cpp", names)
        self.assertIn("src/store/manifest.cpp", names)
        self.assertGreater(len(check.comparisons((ROOT / "src/store/same_data.cpp").read_text())), 5)


if __name__ == "__main__":
    unittest.main()
