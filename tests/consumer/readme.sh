#!/usr/bin/env bash
# Checks that the C++ example of docs/cpp.md is the compiled file, and that it runs.
# usage: readme.sh EXAMPLE SOURCE
set -euo pipefail
example=$(realpath "$1") source=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk '/^```cpp$/ {inside = 1; next} /^```$/ {inside = 0} inside' "$source/docs/cpp.md" >"$work/readme.cpp"
diff "$work/readme.cpp" <(grep -v '^// Imports' "$source/examples/score.cpp") ||
    { echo "error: the C++ example of docs/cpp.md is not examples/score.cpp" >&2; exit 1; }

cd "$work"
printf 'id,cat,dog\na,2,1\nb,1,3\nc,4,0\n' >scores.csv
printf 'id,label\na,cat\nb,dog\nc,dog\n' >labels.csv
"$example" scores.csv labels.csv >out
cat out
grep -q '^top1: 0.666667 (.* to .*), n = 3$' out
