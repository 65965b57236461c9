"""Lists the parts of other projects in a build of tools/wheel: an SPDX document, and the licence of each.

The libraries that are linked statically are read from the linker's own map, and the header-only ones from the compiler's
dependencies. A library that COMPONENTS does not know is an error, so the list stays complete.

usage: contents.py BUILD ROOT OUT      writes OUT/sboms/assay.spdx.json and OUT/licenses/NAME; SOURCE_DATE_EPOCH is its date
"""

import datetime
import gzip
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from typing import NamedTuple


class Component(NamedTuple):
    licence: str  # the licence as an SPDX expression
    home: str
    package: str  # Debian packages: the changelog has the version, and the copyright file has the licence's text
    archives: "tuple[str, ...]" = ()
    headers: "tuple[str, ...]" = ()  # header-only libraries: the start of a path below usr/include


COMPONENTS = {
    "boost": Component("BSL-1.0", "https://www.boost.org", "libboost1.74-dev", headers=("boost/",)),
    "brotli": Component("MIT", "https://github.com/google/brotli", "libbrotli-dev", ("libbrotlidec.a", "libbrotlicommon.a")),
    "cli11": Component("BSD-3-Clause", "https://github.com/CLIUtils/CLI11", "libcli11-dev", headers=("CLI/",)),
    "fmt": Component("MIT", "https://fmt.dev", "libfmt-dev", headers=("fmt/",)),
    "gcc-runtime": Component("GPL-3.0-or-later WITH GCC-exception-3.1", "https://gcc.gnu.org", "gcc-12-base",
                             ("libstdc++.a", "libgcc.a", "libgcc_eh.a", "libsupc++.a")),
    "glibc-static-part": Component("LGPL-2.1-or-later", "https://www.gnu.org/software/libc", "libc6-dev",
                                   ("libc_nonshared.a", "libpthread_nonshared.a")),
    "lerc": Component("Apache-2.0", "https://github.com/Esri/lerc", "liblerc-dev", ("libLerc.a",)),
    "libdeflate": Component("MIT", "https://github.com/ebiggers/libdeflate", "libdeflate-dev", ("libdeflate.a",)),
    "libjpeg-turbo": Component("IJG AND BSD-3-Clause AND Zlib", "https://libjpeg-turbo.org", "libjpeg62-turbo-dev", ("libjpeg.a",)),
    "liblzma": Component("LicenseRef-public-domain", "https://tukaani.org/xz", "liblzma-dev", ("liblzma.a",)),
    "libmicrohttpd": Component("LGPL-2.1-or-later", "https://www.gnu.org/software/libmicrohttpd", "libmicrohttpd-dev", ("libmicrohttpd.a",)),
    "libpng": Component("libpng-2.0", "http://www.libpng.org", "libpng-dev", ("libpng16.a", "libpng.a")),
    "libtiff": Component("libtiff", "https://libtiff.gitlab.io/libtiff", "libtiff-dev", ("libtiff.a",)),
    "libwebp": Component("BSD-3-Clause", "https://developers.google.com/speed/webp", "libwebp-dev", ("libwebp.a", "libwebpdemux.a")),
    "nlohmann-json": Component("MIT", "https://json.nlohmann.me", "nlohmann-json3-dev", headers=("nlohmann/",)),
    "pugixml": Component("MIT", "https://pugixml.org", "libpugixml-dev", ("libpugixml.a",)),
    "snappy": Component("BSD-3-Clause", "https://google.github.io/snappy", "libsnappy-dev", ("libsnappy.a",)),
    "sqlite": Component("blessing", "https://sqlite.org", "libsqlite3-dev", ("libsqlite3.a",)),
    "tomlplusplus": Component("MIT", "https://marzer.github.io/tomlplusplus", "libtomlplusplus-dev", headers=("toml++/",)),
    "xxhash": Component("BSD-2-Clause", "https://xxhash.com", "libxxhash-dev", ("libxxhash.a",), ("xxhash.h", "xxh3.h")),
    "zlib": Component("Zlib", "https://zlib.net", "zlib1g-dev", ("libz.a",)),
    "zstd": Component("BSD-3-Clause", "https://facebook.github.io/zstd", "libzstd-dev", ("libzstd.a",)),
}
MEMBER = re.compile(r"^(/\S+\.a)\(", re.M)  # a name at the start of a map is that of a linked member


class Unknown(Exception):
    """A linked or included file belongs to no component."""


def output_of(*command, folder=None):
    return subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True, check=True).stdout


def linked_archives(build, target):
    """The static libraries whose members were linked, without those of the tree itself."""
    last = output_of("ninja", "-C", build, "-t", "commands", target).strip().splitlines()[-1]
    words = [word for word in shlex.split(last) if word not in (":", "&&")]
    with tempfile.TemporaryDirectory() as scratch:
        words[words.index("-o") + 1] = f"{scratch}/linked"
        output_of(*words, f"-Wl,-Map={scratch}/map", folder=build)
        found = MEMBER.findall(pathlib.Path(scratch, "map").read_text(errors="replace"))
    return {path for path in found if not pathlib.Path(path).name.startswith("missing.")}


def component_of_archive(path):
    for name, component in COMPONENTS.items():
        if pathlib.Path(path).name in component.archives:
            return name
    raise Unknown(f"{path} is linked and has no licence in packaging/wheel/contents.py: add it to COMPONENTS, or do not link it")


def components_of_headers(build, root):
    included = os.path.realpath(root) + "/usr/include/"
    lines = set(output_of("ninja", "-C", build, "-t", "deps").splitlines())
    names = {os.path.realpath(os.path.join(build, line.strip())) for line in lines if "/usr/include/" in line}
    below = {name[len(included):] for name in names if name.startswith(included)}
    return {name for name, component in COMPONENTS.items() if any(header.startswith(component.headers) for header in below)}


def version_of(component, root):
    """Upstream's part of the version in Debian's changelog."""
    if component.package == "libc6-dev":  # the documents there are those of the newer release
        return next(pathlib.Path(root).glob("lib/*/libc-2*.so")).stem.split("-")[1]
    folder = pathlib.Path(root, "usr/share/doc", component.package)
    for name in ("changelog.Debian.gz", "changelog.gz"):
        if (folder / name).exists():
            first = gzip.open(folder / name, "rt", errors="replace").readline()
            full = re.search(r"\(([^)]+)\)", first)[1]
            return re.sub(r"^\d+:|[+.](ds|dfsg)\d*|-[^-]*$", "", full)
    raise Unknown(f"{folder} has no changelog, so the version of {component.package} is unknown")


def document(names, root, version, machine, created):
    packages = [{
        "SPDXID": "SPDXRef-assay", "name": "assay", "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION",
    }]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-assay"}]
    for name in sorted(names):
        component = COMPONENTS[name]
        packages.append({
            "SPDXID": f"SPDXRef-{name}", "name": name, "versionInfo": version_of(component, root), "homepage": component.home,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": component.licence,
            "licenseDeclared": component.licence, "copyrightText": "NOASSERTION", "sourceInfo": f"Debian's package {component.package}",
        })
        relations.append({"spdxElementId": "SPDXRef-assay", "relationshipType": "STATIC_LINK" if component.archives else "CONTAINS",
                          "relatedSpdxElement": f"SPDXRef-{name}"})
    mark = hashlib.sha256(json.dumps(packages).encode()).hexdigest()[:16]
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"assay-{version}-linux-{machine}",
        "documentNamespace": f"https://spdx.org/spdxdocs/assay-{version}-linux-{machine}-{mark}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": [f"Tool: assay-{version}"]},
        "packages": packages, "relationships": relations,
        "hasExtractedLicensingInfos": [{
            "licenseId": "LicenseRef-public-domain", "name": "public domain",
            "extractedText": "The authors put this work into the public domain. licenses/liblzma has their words.",
        }] if "liblzma" in names else [],
    }


def main(build, root, out):
    cache = pathlib.Path(build, "CMakeCache.txt").read_text()
    version = re.search(r"^CMAKE_PROJECT_VERSION:\w+=(.*)", cache, re.M)[1]
    machine = re.search(r"^ASSAY_MACHINE:\w+=(.*)", cache, re.M)[1]
    targets = [f"lib/libassay.so.{version}", "bin/assay"]
    archives = set().union(*(linked_archives(build, target) for target in targets))
    names = {component_of_archive(path) for path in archives} | components_of_headers(build, root)
    created = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "1577836800")), datetime.timezone.utc)
    made = document(names, root, version, machine, created)
    shutil.rmtree(out, ignore_errors=True)
    for folder in ("sboms", "licenses"):
        pathlib.Path(out, folder).mkdir(parents=True)
    for name in names:
        shutil.copyfile(pathlib.Path(root, "usr/share/doc", COMPONENTS[name].package, "copyright"), pathlib.Path(out, "licenses", name))
    pathlib.Path(out, "sboms/assay.spdx.json").write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Unknown as unknown:
        sys.exit(f"error: {unknown}")
