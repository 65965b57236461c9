"""Tests of tools/english/messages: the kind and the place of a message, and that an unchanged list is not written again."""
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
loader = importlib.machinery.SourceFileLoader("english_messages", str(ROOT / "tools" / "english" / "messages"))
messages = importlib.util.module_from_spec(importlib.util.spec_from_loader("english_messages", loader))
loader.exec_module(messages)

FILES = {
    "src/core/a.cpp": '''// An error("in a comment") is none.
void f() {
    throw Error(ErrorCode::usage,
                fmt::format("the file `{}` is (", name(x)) + name + " too long");
    refuse_value(row, list.empty() ? "no value is given" : "a value is given");
    warn("the disk is full");
    report.notes.push_back(fmt::format("{} rows were skipped", n));
    table.push_back("name of model");
}
std::string error_of(int x) {
    return "words of a function";
}
''',
    "src/cli/cmd_b.cpp": 'app.add_option("--x", x, "Write the result to FILE");\nthrow Error(usage, "pass one file");\n',
    "python/assay/c.py": 'raise ValueError("not the program at all")\n',
}


class Messages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in FILES.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def test_each_message_has_its_kind_and_place(self):
        self.assertEqual(sorted(messages.lines(self.root)), [
            "src/cli/cmd_b.cpp:1: help: Write the result to FILE",
            "src/cli/cmd_b.cpp:2: error: pass one file",
            "src/core/a.cpp:11: text: words of a function",
            "src/core/a.cpp:4: error: the file `{}` is (",
            "src/core/a.cpp:4: error: too long",
            "src/core/a.cpp:5: error: a value is given",
            "src/core/a.cpp:5: error: no value is given",
            "src/core/a.cpp:6: warning: the disk is full",
            "src/core/a.cpp:7: note: {} rows were skipped",
            "src/core/a.cpp:8: text: name of model",
        ])

    def test_an_unchanged_list_is_not_written_again(self):
        file = self.root / "list.txt"
        self.assertEqual(messages.main(["-o", str(file)], self.root), 0)
        file.touch()
        first = file.stat().st_mtime_ns
        self.assertEqual(messages.main(["-o", str(file)], self.root), 0)
        self.assertEqual(file.stat().st_mtime_ns, first)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            messages.main([], self.root)
        self.assertEqual(printed.getvalue(), file.read_text())


if __name__ == "__main__":
    unittest.main()
