"""The build back-end of the Python package (PEP 517), without dependencies.

CMake builds the library and the program, and a wheel has them next to the package. One wheel works with every Python from 3.9 on.

Environment: ASSAY_BUILD=FOLDER uses a build that exists already (build/release). CMAKE_ARGS go to cmake's configure step, such as
-DTorch_DIR=... or -DASSAY_TORCH=OFF. ASSAY_WHEEL_PLATFORM=TAG names the platform that ASSAY_BUILD was made for (tools/wheel), and
ASSAY_WHEEL_CONTENTS=FOLDER holds the licences of libraries that are linked statically.
"""

import base64
import calendar
import gzip
import hashlib
import io
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = "assay_classifiers"  # the name in pyproject.toml as file names spell it
STAMP = (2020, 1, 1, 0, 0, 0)  # date of every file, so that equal contents give an equal wheel


def _version():
    found = re.search(r"project\(assay\s+VERSION\s+([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    return found[1]


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_wheel


def _metadata():
    text = (ROOT / "pyproject.toml").read_text()
    one = lambda key: re.search(rf'^{key} = "([^"]*)"', text, re.M)[1]
    lines = [
        "Metadata-Version: 2.1", f"Name: {one('name')}", f"Version: {_version()}", f"Summary: {one('description')}", "License: Apache-2.0",
        f"Requires-Python: {one('requires-python')}", "Requires-Dist: numpy",
    ]
    for extra, packages in re.findall(r"^(tables|progress) = \[([^]]*)\]", text, re.M):
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {p}; extra == "{extra}"' for p in re.findall(r'"([^"]+)"', packages)]
    lines += [f"Classifier: {c}" for c in re.findall(r'^    "([A-Z][^"]* :: [^"]*)"', text, re.M)]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / "README.md").read_text()]
    return "\n".join(lines)


def _say(text):
    print(text, file=sys.stderr, flush=True)


def _built():
    """A build folder with the library, the program and, if there is LibTorch, the plug-in."""
    if given := os.environ.get("ASSAY_BUILD"):
        folder = pathlib.Path(given)
        if not (folder / "lib").is_dir():
            raise SystemExit(f"assay: error: ASSAY_BUILD={given} holds no lib/: is it a build folder?")
        if not list((folder / "lib").glob("libassay.so.*")):  # tools/quickstart builds the program alone
            raise SystemExit(f"assay: error: ASSAY_BUILD={given} has no lib/libassay.so: `cmake --build {given}` builds all of it")
        return folder
    for tool in ("cmake", "ninja", "c++"):
        if shutil.which(tool) is None:
            raise SystemExit(f"assay: error: `{tool}` is needed to build the package; tools/install-dependencies --program installs what is missing")
    # After tools/quickstart only linking is repeated, which takes a tenth of the time of a build.
    quick = ROOT / "build/program"
    folder = quick if (quick / "bin/assay").is_file() else ROOT / "build/wheel"
    _say(f"assay: configuring {folder}")
    _run("cmake", "--preset", "program", "-B", folder, "-DBUILD_SHARED_LIBS=ON", "-DASSAY_INSTALL=ON", *shlex.split(os.environ.get("CMAKE_ARGS", "")),
         hint="tools/install-dependencies --program installs what is missing")
    _say("assay: building" + ("" if folder == quick else ", about ten minutes on two cores"))
    _run("cmake", "--build", folder, hint="the lines above are the compiler's")
    return folder


def _run(*command, hint):
    """Runs a command in the tree, and shows its output if it fails."""
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode != 0:
        _say(done.stdout[-8000:])
        raise SystemExit(f"assay: error: `{' '.join(map(str, command[:2]))}` failed: {hint}")


def _native(folder, to):
    """The files of a build that the package runs, without debug information."""
    with tempfile.TemporaryDirectory() as prefix:
        subprocess.run(["cmake", "--install", folder, "--prefix", prefix, "--strip"], stdout=subprocess.DEVNULL, check=True)
        prefix = pathlib.Path(prefix)
        for library in prefix.glob("lib/**/libassay.so.*"):
            if re.fullmatch(r"libassay\.so\.[0-9]+\.[0-9]+", library.name):
                shutil.copy2(library.resolve(), to / library.name)
        for plugin in prefix.glob("lib/**/assay/*"):
            if plugin.name == "assay-model" or plugin.name.startswith("libassay_"):
                shutil.copy2(plugin, to / plugin.name)
        for sources in prefix.glob("share/assay/*"):  # sources that `assay torch --build` compiles, and the plug-in for MPI
            shutil.copytree(sources, to / sources.name)
        if (prefix / "bin/assay").is_file():
            shutil.copy2(prefix / "bin/assay", to / "assay")
    if not list(to.glob("libassay.so.*")):
        raise SystemExit(f"assay: error: {folder} installs no shared library: configure it with -DBUILD_SHARED_LIBS=ON")


def _wheel_name():
    platform = os.environ.get("ASSAY_WHEEL_PLATFORM") or sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{NAME}-{_version()}-py3-none-{platform}.whl", f"py3-none-{platform}"


class _Wheel:
    def __init__(self, path):
        self._file = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self._record = []

    def add(self, name, data, mode=0o644):
        facts = zipfile.ZipInfo(name, STAMP)
        facts.external_attr = (0o100000 | mode) << 16
        facts.compress_type = zipfile.ZIP_DEFLATED
        self._file.writestr(facts, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(data)}")

    def close(self, info):
        self._record.append(f"{info}/RECORD,,")
        self.add(f"{info}/RECORD", ("\n".join(self._record) + "\n").encode())
        self._file.close()


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = f"{NAME}-{_version()}.dist-info"
    folder = pathlib.Path(metadata_directory) / info
    folder.mkdir()
    (folder / "METADATA").write_text(_metadata())
    return info


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name, tag = _wheel_name()
    info = f"{NAME}-{_version()}.dist-info"
    folder = _built()
    with tempfile.TemporaryDirectory() as native:
        native = pathlib.Path(native)
        _native(folder, native)
        wheel = _Wheel(pathlib.Path(wheel_directory) / name)
        for file in sorted((ROOT / "python/assay").rglob("*")):
            if file.suffix == ".py" or file.name == "py.typed":
                wheel.add(f"assay/{file.relative_to(ROOT / 'python/assay').as_posix()}", file.read_bytes())
        for file in sorted(path for path in native.rglob("*") if path.is_file()):
            mode = 0o755 if file.parent == native else 0o644
            wheel.add(f"assay/_native/{file.relative_to(native).as_posix()}", file.read_bytes(), mode)
        wheel.add(f"{info}/METADATA", _metadata().encode())
        wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: assay\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        wheel.add(f"{info}/entry_points.txt", b"[console_scripts]\nassay = assay.command:main\n")
        wheel.add(f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())
        if contents := os.environ.get("ASSAY_WHEEL_CONTENTS"):
            for file in sorted(path for path in pathlib.Path(contents).rglob("*") if path.is_file()):
                wheel.add(f"{info}/{file.relative_to(contents).as_posix()}", file.read_bytes())
        wheel.close(info)
    return name


def build_sdist(sdist_directory, config_settings=None):
    name = f"{NAME}-{_version()}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    if listed.returncode != 0:
        raise SystemExit("assay: error: a source package is made from a git checkout")
    path = pathlib.Path(sdist_directory) / f"{name}.tar.gz"
    stamp = int(os.environ.get("SOURCE_DATE_EPOCH", calendar.timegm((*STAMP, 0, 0, 0))))

    def plain(facts):
        facts.mtime, facts.uid, facts.gid, facts.uname, facts.gname = stamp, 0, 0, "", ""
        facts.mode = 0o755 if facts.mode & 0o100 else 0o644
        return facts

    # Equal contents give equal bytes, because neither the time nor the user is written.
    with open(path, "wb") as file, gzip.GzipFile("", "wb", mtime=stamp, fileobj=file) as packed, tarfile.open(fileobj=packed, mode="w") as archive:
        for file in sorted(filter(None, listed.stdout.decode().split("\0"))):
            archive.add(ROOT / file, f"{name}/{file}", recursive=False, filter=plain)
        data = _metadata().encode()
        facts = plain(tarfile.TarInfo(f"{name}/PKG-INFO"))
        facts.size = len(data)
        archive.addfile(facts, io.BytesIO(data))
    return path.name
