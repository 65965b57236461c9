# Run by `python3 -c`, by the build and by `assay torch`: prints where the package torch is, without importing it. An import
# would run a gigabyte of libraries to say the same; and a folder called torch in the current one is no installation.
import importlib.util
import os
import sys

sys.path = [folder for folder in sys.path if folder]
spec = importlib.util.find_spec("torch")
print("torch is in " + (os.path.dirname(spec.origin) if spec and spec.origin else ""))
