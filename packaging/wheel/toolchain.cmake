# Compiles against the system root that tools/wheel makes (ASSAY_ROOT, ASSAY_MACHINE), and links all but glibc statically.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ASSAY_ROOT ASSAY_MACHINE)
set(archive ${ASSAY_MACHINE}-linux-gnu)
set(libraries ${ASSAY_ROOT}/usr/lib/${archive})
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${ASSAY_MACHINE})
set(CMAKE_C_COMPILER ${archive}-gcc)
set(CMAKE_CXX_COMPILER ${archive}-g++)
set(CMAKE_SYSROOT ${ASSAY_ROOT})
set(CMAKE_FIND_ROOT_PATH ${ASSAY_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
    set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(CMAKE_LIBRARY_ARCHITECTURE ${archive})
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${ASSAY_ROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${libraries}/pkgconfig:${ASSAY_ROOT}/usr/share/pkgconfig)

# -B, -L: searched before the compiler's own folders, which belong to this machine. There is no static libfmt.
set(CMAKE_C_FLAGS_INIT -B${libraries}/)
set(CMAKE_CXX_FLAGS_INIT "-B${libraries}/ -DFMT_HEADER_ONLY")
foreach(kind EXE SHARED MODULE)
    set(CMAKE_${kind}_LINKER_FLAGS_INIT
        "-B${libraries}/ -L${libraries} -L${ASSAY_ROOT}/lib/${archive} -static-libstdc++ -Wl,--as-needed -Wl,--exclude-libs,ALL")
endforeach()
# Libraries that the static libraries need, and functions that an older glibc does not have.
set(missing ${ASSAY_ROOT}/missing.a)
set(CMAKE_C_STANDARD_LIBRARIES "${missing} -lpthread -ldl -lrt -lm")
set(CMAKE_CXX_STANDARD_LIBRARIES
    "-Wl,--start-group -ltiff -lLerc -llzma -ldeflate -lwebp -lwebpdemux -ljpeg -lpng16 -lzstd -lbrotlidec -lbrotlicommon -lsnappy -lz ${missing} -Wl,--end-group -lpthread -ldl -lrt -lm")
