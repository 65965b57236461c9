#!/usr/bin/env bash
# `assay torch --build` of an installed program: a refused build leaves nothing, and a compiled plug-in has results bit-identical to
# the installed plug-in. An outdated record is reported, and --remove restores the old state.
# usage: torch_build.sh BUILD SHAPE_IMAGES SOURCE
set -euo pipefail
build=$(realpath "$1") shape_images=$(realpath "$2") source=$(realpath "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "error: $*" >&2; exit 1; }

cmake --install "$build" --prefix "$work/installed" >/dev/null
export HOME=$work/home
unset ASSAY_PLUGIN_DIR XDG_DATA_HOME Torch_DIR
assay=$work/installed/bin/assay
framework() { "$assay" version --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["framework"]["file"])'; }
predict() { "$assay" predict -m "$source/tests/cli/shapes/tiny.pt" -d shapes --shard-rows 8 -q --out "$1" >/dev/null 2>said; }
refused() { # expected message, then the command
    local wanted=$1 status=0
    shift
    "$@" >/dev/null 2>said || status=$?
    [ "$status" -eq 2 ] || fail "$*: status $status"
    grep -qF -e "$wanted" said || fail "$*: it says $(cat said)"
}

# In the tree where it was built, the usual build compiles the plug-in.
refused "--folder has no effect where the program was built" "$build/bin/assay" torch --build --folder "$work/apart"
refused "--folder has no effect where the program was built" "$build/bin/assay" torch --remove --folder "$work/apart"

"$shape_images" shapes >/dev/null
installed=$(framework)
predict before

refused "Torch_DIR: there is no lib/libtorch_cpu.so in" env Torch_DIR="$work/none" "$assay" torch --build
refused "there is no /none/python" "$assay" torch --build --python /none/python
refused "CXX=/none/c++: there is no such compiler" env CXX=/none/c++ "$assay" torch --build
printf '#!/bin/sh\ncase "$*" in *--version*) exit 0 ;; esac\necho "x.cpp:1: error: no such thing" >&2; exit 1\n' >broken && chmod +x broken
refused "x.cpp:1: error: no such thing" env CXX="$work/broken" "$assay" torch --build
refused "unexpected \`--rebuild\`" "$assay" torch --rebuild
[ "$(framework)" = "$installed" ] || fail "what was refused left a plug-in"

"$assay" torch --build >/dev/null 2>said || fail "$(cat said)"
own=$(framework)
case $own in "$HOME"/.local/share/assay/plugins/*) ;; *) fail "models run by $own" ;; esac
predict after || fail "$(cat said)"
diff -r before/shapes/tiny/shards after/shapes/tiny/shards || fail "the plug-ins give different shards"

# LibTorch was replaced, so nothing is loaded, and the error names both solutions.
sed -i 's/"bytes": [0-9]*/"bytes": 1/' "${own%.so}.json"
refused "has changed; to compile it for a LibTorch of this machine, type \`assay torch --build\`" "$assay" predict -m "$source/tests/cli/shapes/tiny.pt" -d shapes --out again
"$assay" torch --remove >/dev/null 2>&1
[ "$(framework)" = "$installed" ] || fail "--remove left $(framework)"
[ -z "$(ls -A "$HOME/.local/share/assay/plugins")" ] || fail "--remove left $(find "$HOME" -type f)"
echo "compiled, run, refused, removed"
