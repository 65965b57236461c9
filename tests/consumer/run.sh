#!/usr/bin/env bash
# Installs a build and uses it from another project with find_package, pkg-config, add_subdirectory (configured only:
# building would compile Assay again).
# usage: run.sh BUILD SOURCE
set -euo pipefail
build=$(realpath "$1") source=$(realpath "$2")
work=$build/consumer
rm -rf "$work"
mkdir -p "$work/moved"
fail() { echo "error: $*" >&2; exit 1; }

# Assay is installed to one folder and used from another, so no file may contain the first path.
cmake --install "$build" --prefix "$work/installed" >/dev/null
mv "$work/installed" "$work/moved/assay"
prefix=$work/moved/assay
libraries=$(dirname "$(find "$prefix" -name pkgconfig)")
if grep -rlE '#include "(core|cli|report)/' "$prefix/include"; then fail "a private header is included"; fi
if grep -rnE -e '-Werror|-fsanitize|assay_flags' "$libraries/cmake/assay" "$libraries/pkgconfig"; then fail "a developer flag"; fi

for file in bin/assay share/bash-completion/completions/assay share/zsh/site-functions/_assay \
    share/fish/vendor_completions.d/assay.fish share/man/man1/assay.1 share/man/man1/assay-labels-stats.1; do
    [ -s "$prefix/$file" ] || fail "$file is not installed"
done
if command -v man >/dev/null && [ "$(MANPATH=$prefix/share/man man -w assay-score)" != "$prefix/share/man/man1/assay-score.1" ]; then
    fail "man does not find the installed pages"
fi

cmake -G Ninja -S "$source/tests/consumer" -B "$work/package" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" || { cat "$work/log"; exit 1; }
cmake --build "$work/package" >"$work/log" || { cat "$work/log"; exit 1; }
cd "$work"
[ "$(package/consumer)" = "top1 0.666667" ] || fail "find_package: the consumer prints something else"
if [ -e "$libraries/assay/libassay_torch.so" ]; then
    plugin=$(env -u ASSAY_PLUGIN_DIR package/consumer --plugin)
    [ "$plugin" = "$libraries/assay/libassay_torch.so" ] || fail "the plug-in is $plugin, not the installed one"
    [ -x "$libraries/assay/assay-model" ] || fail "the program that runs models is not beside the plug-in"
fi

export PKG_CONFIG_PATH=$libraries/pkgconfig
# shellcheck disable=SC2046
"${CXX:-c++}" -std=c++20 "$source/tests/consumer/presets.cpp" $(pkg-config --cflags --libs assay) -Wl,-rpath,"$libraries" -o presets
./presets | grep -q ' presets$' || fail "pkg-config: the program prints something else"

cmake -G Ninja -S "$source/tests/consumer" -B "$work/part" -DASSAY_SOURCE="$source" -DASSAY_TORCH=OFF >"$work/log" 2>&1 ||
    { cat "$work/log"; exit 1; }
echo "find_package, pkg-config and add_subdirectory work"
