# Run by `python3 -c`: imports the program's own sources, which no folder holds, under the name assay_worker, and runs them.
# With ASSAY_WORKER_PATH they come from that folder instead. Any Python can read this file; only 3.9 and newer goes on.
import sys

# The current folder is no place for packages, but `python:FILE.py:NAME` adds its own.
sys.path[:] = [folder for folder in sys.path if folder]

import os

if sys.version_info < (3, 9):
    sys.stderr.write("%s is Python %d.%d; models in Python need Python 3.9 or newer\n" % ((sys.executable,) + sys.version_info[:2]))
    sys.exit(97)

import importlib.abc
import importlib.util
import json

PACKAGE = "assay_worker"


class Sources(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Modules of the package, from texts by file name."""

    def __init__(self, texts):
        self.texts = texts

    @staticmethod
    def file_of(name):
        return "__init__.py" if name == PACKAGE else name[len(PACKAGE) + 1 :] + ".py"

    def find_spec(self, name, path=None, target=None):
        if name != PACKAGE and not name.startswith(PACKAGE + "."):
            return None
        if self.file_of(name) not in self.texts:
            return None
        return importlib.util.spec_from_loader(name, self, is_package=name == PACKAGE)

    def get_source(self, name):
        return self.texts[self.file_of(name)]

    def get_code(self, name):
        return compile(self.get_source(name), "<assay>/" + self.file_of(name), "exec", dont_inherit=True)

    def is_package(self, name):
        return name == PACKAGE


def import_sources():
    folder = os.environ.get("ASSAY_WORKER_PATH")
    if folder:
        spec = importlib.util.spec_from_file_location(
            PACKAGE, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
        )
        package = importlib.util.module_from_spec(spec)
        sys.modules[PACKAGE] = package
        spec.loader.exec_module(package)
        return
    with os.fdopen(4, "rb") as file:
        file.seek(0)
        sys.meta_path.insert(0, Sources(json.loads(file.read().decode())))


arguments = sys.argv[1:]
sys.argv = ["assay-worker"]
import_sources()
main = importlib.import_module(PACKAGE + ".__main__").main
status = main(arguments)
sys.stderr.flush()
os._exit(int(status or 0))
