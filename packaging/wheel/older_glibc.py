"""Replaces the C library of a system root by one for linking that has no symbols of newer versions than requested.

A program linked against it runs with any glibc of that version. Each function is the newest version that is old enough, as exp of
GLIBC_2.2.5 instead of GLIBC_2.29. A function that is too new is missing, so that linking fails and names it; missing.c holds
those that Assay's libraries call. The result has names and versions but no code.

usage: older_glibc.py ROOT VERSION COMPILER      e.g. older_glibc.py root 2.28 aarch64-linux-gnu-gcc
"""

import pathlib
import re
import subprocess
import sys
import tempfile

LIBRARIES = ("libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1")
KINDS = {"FUNC": "function", "IFUNC": "function", "OBJECT": "object", "TLS": "tls_object"}
SECTIONS = {"function": ".text", "object": ".bss", "tls_object": '.section .tbss,"awT",%nobits'}
SYMBOL = re.compile(r"^ *\d+: \w+ +(\w+) (FUNC|OBJECT|IFUNC|TLS) +(\w+) +\w+ +(\w+) (\S+?)@@?GLIBC_([\d.]+)", re.M)


def numbers(version):
    return tuple(map(int, version.split(".")))


def kept(library, newest):
    """{name: (version, kind, size, binding)} of a library."""
    text = subprocess.run(["readelf", "--dyn-syms", "--wide", library], capture_output=True, text=True, check=True).stdout
    best = {}
    for size, kind, binding, section, name, version in SYMBOL.findall(text):
        if section != "UND" and numbers(version) <= newest and (name not in best or numbers(version) > best[name][0]):
            best[name] = (numbers(version), KINDS[kind], int(size, 0), binding)
    return best


def assembled(symbols):
    lines = []
    for name, (_, kind, size, binding) in sorted(symbols.items()):
        size = 1 if kind == "function" else max(size, 1)
        lines += [SECTIONS[kind], f".{'weak' if binding == 'WEAK' else 'globl'} {name}", f".type {name},%{kind}", f"{name}:", f".zero {size}",
                  f".size {name},{size}"]
    return "\n".join(lines) + "\n"


def version_script(symbols):
    text, before = "", ""
    for version in sorted({symbol[0] for symbol in symbols.values()}):
        names = sorted(name for name, symbol in symbols.items() if symbol[0] == version)
        tag = "GLIBC_" + ".".join(map(str, version))
        text += f"{tag} {{ global: {' '.join(name + ';' for name in names)} {'' if before else 'local: *;'} }} {before};\n"
        before = tag
    return text


def main(root, newest, compiler):
    for name in LIBRARIES:
        place = next(pathlib.Path(root).glob(f"lib/*/{name}"))
        symbols = kept(place, numbers(newest))
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "names.s").write_text(assembled(symbols))
            (folder / "versions").write_text(version_script(symbols))
            subprocess.run([compiler, "-shared", "-nostdlib", f"-Wl,-soname,{name}", f"-Wl,--version-script={folder / 'versions'}", "-o", folder / name,
                            folder / "names.s"], check=True)
            place.unlink()
            place.write_bytes((folder / name).read_bytes())


if __name__ == "__main__":
    main(*sys.argv[1:])
