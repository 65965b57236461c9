#!/usr/bin/env bash
# Called by conda-build: installs everything below $PREFIX, and the Python package into its site-packages.
set -euo pipefail
cmake --preset package -B build/conda ${CMAKE_ARGS:-} -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
    -DASSAY_TCMALLOC=OFF -DTorch_DIR="$PREFIX/share/cmake/Torch"
cmake --build build/conda
cmake --install build/conda
cp -r python/assay "$SP_DIR/"
