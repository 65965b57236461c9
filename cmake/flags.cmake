# One interface target carries every flag; components link it and add no flags of their own. A project that uses the
# library gets none of these flags. The caller chooses the optimization level; the presets do so for this tree.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

add_library(assay_flags INTERFACE)
# The public headers that belong to no component. assay_include_folder adds those of a component.
set(shared_headers ${PROJECT_BINARY_DIR}/include_of/all)
file(MAKE_DIRECTORY ${shared_headers}/assay)
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/assay/*.h)
list(REMOVE_ITEM headers ${PROJECT_SOURCE_DIR}/include/assay/assay.h)
foreach(header IN LISTS headers)
    get_filename_component(name ${header} NAME)
    file(CREATE_LINK ${header} ${shared_headers}/assay/${name} SYMBOLIC)
endforeach()
target_include_directories(assay_flags INTERFACE ${shared_headers})
if(ASSAY_DEVELOPER_MODE)
    # GCC's warnings stop a build. Clang, for fuzzing and sanitizers, has different warnings in every version.
    target_compile_options(assay_flags INTERFACE
        -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion $<$<NOT:$<CXX_COMPILER_ID:Clang>>:-Werror>)
    # in joined sources, a local name may hide one at file scope of another source, which is not a mistake
    if(NOT ASSAY_JOIN_SOURCES)
        target_compile_options(assay_flags INTERFACE -Wshadow)
    endif()
endif()
# GCC collects garbage in all its memory, precompiled headers included, each time it has grown so much. With 2 GB at first, it does
# so at most once in joined sources, which need 1.5 to 2.7 GB. This saves 3 to 11 % of the time with 400 MB, for 10 to 20 % more memory.
target_compile_options(assay_flags INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-expand=200;--param=ggc-min-heapsize=2000000>)
# If only some builds used fused multiply-add, results would not be bit-identical.
target_compile_options(assay_flags INTERFACE -ffp-contract=off)
if(ASSAY_DEVELOPER_MODE)
    # Warnings that GCC prints after optimizing depend on its version and on inlining, and are often wrong about
    # std::string (GCC bug 105651). They are shown but do not stop a build.
    target_compile_options(assay_flags INTERFACE
        $<$<CXX_COMPILER_ID:GNU>:-Wno-error=array-bounds;-Wno-error=restrict;-Wno-error=stringop-overflow;-Wno-error=maybe-uninitialized;-Wno-error=format-truncation>)
    # Since version 13 GCC assumes that a reference from a function with a temporary argument refers to that temporary. This is
    # wrong for views such as JsonReader, and for a lookup by name.
    target_compile_options(assay_flags INTERFACE
        $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-dangling-reference>)
endif()
if(ASSAY_SANITIZE)
    # Not checked: null pointers and objects that are too small, which the address sanitizer finds, too, and casts between classes
    # or types of functions, which the code does not have. These checks would take half of the compiler's time.
    target_compile_options(assay_flags INTERFACE -fsanitize=${ASSAY_SANITIZE} -fno-sanitize=null,object-size,vptr
        $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function> -fno-omit-frame-pointer -fno-sanitize-recover=all)
    # Components are shared libraries here: a function that a library has is not looked up in the others.
    target_link_options(assay_flags INTERFACE -fsanitize=${ASSAY_SANITIZE} -Wl,-Bsymbolic-functions)
endif()
if(ASSAY_FUZZ)
    # The coverage of the libraries guides the fuzzer, and the targets have its main(). Code that no target runs
    # has no counters, because they take a sixth of the compile time of a test, and time in every loop.
    set(uncovered "")
    foreach(folder tests demo src/collective src/metric src/report src/robustness)
        string(APPEND uncovered "src:${PROJECT_SOURCE_DIR}/${folder}/*\nsrc:${PROJECT_BINARY_DIR}/${folder}/*\n")
    endforeach()
    file(WRITE ${PROJECT_BINARY_DIR}/uncovered.txt "${uncovered}")
    set(ASSAY_FUZZ_COVERAGE -fsanitize=fuzzer-no-link)
    if(ASSAY_TESTS)
        # Without the table of addresses, which the fuzzer only prints: it is most of what each process of a test loads.
        set(ASSAY_FUZZ_COVERAGE -fsanitize-coverage=inline-8bit-counters,indirect-calls,trace-cmp)
    endif()
    target_compile_options(assay_flags INTERFACE ${ASSAY_FUZZ_COVERAGE}
        -fsanitize-coverage-ignorelist=${PROJECT_BINARY_DIR}/uncovered.txt)
endif()

if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
    if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
        set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
    endif()
    find_program(ASSAY_MOLD mold)
    if(ASSAY_MOLD)
        target_link_options(assay_flags INTERFACE -fuse-ld=mold)
    endif()
    find_program(ASSAY_CCACHE ccache)
    if(ASSAY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
        set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${ASSAY_CCACHE})
    endif()
endif()
