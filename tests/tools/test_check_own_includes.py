"""Tests of tools/check-own-includes: own includes, allowed namespaces, names of files, and types defined twice. Also checks that the tree
passes."""
import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("check_own_includes", str(ROOT / "tools" / "check-own-includes"))
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_own_includes", loader))
loader.exec_module(check)


class Includes(unittest.TestCase):
    def test_of_the_own_folder_have_their_whole_path(self):
        with tempfile.TemporaryDirectory() as folder:
            src = pathlib.Path(folder)
            (src / "store" / "inner").mkdir(parents=True)
            for name in ("store/a.h", "store/inner/b.h"):
                (src / name).write_text("")

            def found(source, include):
                return check.own_includes(src / source, f'#pragma once\n#include "{include}"\n', src)

            self.assertEqual(found("store/a.cpp", "a.h"), [("a.h", "store/a.h")])
            self.assertEqual(found("store/a.cpp", "inner/b.h"), [("inner/b.h", "store/inner/b.h")])
            self.assertEqual(found("store/inner/b.cpp", "../a.h"), [("../a.h", "store/a.h")])
            self.assertEqual(found("store/inner/b.cpp", "b.h"), [("b.h", "store/inner/b.h")])
            self.assertEqual(found("store/a.cpp", "store/a.h"), [])
            self.assertEqual(found("store/a.cpp", "assay/error.h"), [])
            self.assertEqual(found("store/a.cpp", "made_by_the_build.inc"), [])


class Namespaces(unittest.TestCase):
    def found(self, component, namespace):
        return check.foreign_namespaces(check.SRC / component / "a.cpp", f"namespace {namespace} {{\n")

    def test_are_those_of_the_component_and_its_parts(self):
        for component, namespace in [("store", "assay"), ("store", "assay::store"), ("mad", "assay::mad::detail"),
                                     ("model", "assay::pt2"), ("data", "assay::zipped")]:
            self.assertEqual(self.found(component, namespace), [], namespace)

    def test_of_others_are_found(self):
        for component, namespace in [("store", "assay::mad"), ("evaluate", "assay::store"), ("mad", "assay::pt2"),
                                     ("store", "assay::storehouse")]:
            self.assertEqual(self.found(component, namespace), [namespace])

    def test_each_part_is_one_that_is_there(self):
        for component, parts in check.PARTS.items():
            texts = [path.read_text() for path in check.sources(check.SRC / component)]
            for part in parts:
                self.assertTrue(any(f"namespace assay::{part} {{" in text for text in texts), f"{component}: {part}")


class Names(unittest.TestCase):
    def test_of_three_files_are_found(self):
        paths = [pathlib.Path(folder) / "plan.cpp" for folder in ("cli", "quality", "replication")]
        self.assertEqual(check.repeated_names(paths), {"plan.cpp": paths})
        self.assertEqual(check.repeated_names(paths[:2]), {})


class Types(unittest.TestCase):
    def test_are_those_of_namespaces_with_a_name(self):
        text = """#include <string>
namespace assay {
struct Row;
struct Row {
    struct Inner {};
};
namespace detail {
template <class T>
class Cell final : public Row {
};
}  // namespace detail
namespace {
struct Hidden {};
const char* text = R"(
struct Quoted {
)";
}  // namespace
using Rows = std::vector<Row>;
enum class Kind : std::uint8_t { one };
}  // namespace assay
"""
        self.assertEqual(check.types_in(text), [("assay::Row", 4), ("assay::detail::Cell", 9), ("assay::Rows", 18), ("assay::Kind", 19)])

    def test_of_two_files_are_found(self):
        once, other = "namespace assay {\nstruct Row {\n};\n}  // namespace assay\n", "namespace assay::store {\nstruct Row {};\n}  // namespace assay::store\n"
        types = {"a.h": check.types_in(once), "b.cpp": check.types_in(other)}
        self.assertEqual(check.repeated_types(types), {})
        types["c.cpp"] = check.types_in("\n" + once)
        self.assertEqual(check.repeated_types(types), {"assay::Row": ["a.h:2", "c.cpp:3"]})


class Tree(unittest.TestCase):
    def test_obeys(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = check.main([])
        self.assertEqual((status, said.getvalue()), (0, ""))


if __name__ == "__main__":
    unittest.main()
