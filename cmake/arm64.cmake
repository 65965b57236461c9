# A toolchain file for tools/test-arm64: Debian's compiler for arm64, and the arm64 libraries that apt installs.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
# GCC prints a note for every std::pair of long doubles, because it was passed differently before version 10.
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)
