# Headers that take long to parse are parsed once for all components (assay_headers), once for all tests, and once for the program.
# -fpch-preprocess: the compiler cache needs it to work with precompiled headers.
set(ASSAY_COMMON_HEADERS <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream> <functional> <map> <memory>
    <optional> <span> <string> <string_view> <vector> <fmt/format.h> <fmt/ranges.h> <nlohmann/json.hpp>
    ${PROJECT_SOURCE_DIR}/src/core/json_instances.h)
set(ASSAY_PRECOMPILED $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/headers.cpp CONTENT "// cmake/component.cmake\n")

# assay_joined(TARGET N): with ASSAY_JOIN_SOURCES, N sources of the target are compiled as one. Instantiating the same
# templates in every source takes most of the compiler's time. A joined build takes less than half of it, but an edited
# source is compiled together with its neighbours. Names at file scope must then be unique in the component.
function(assay_joined target n)
    if(ASSAY_JOIN_SOURCES)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${n})
        # A source for another instruction set uses the same names as the plain one.
        get_target_property(sources ${target} SOURCES)
        list(FILTER sources INCLUDE REGEX "_avx2")
        set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
        # GCC treats a source that is included as a header.
        target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    endif()
endfunction()

# assay_include_folder(TARGET FOLDER): the headers of src/NAME as "NAME/x.h", those of include/assay/NAME as "assay/NAME/x.h", and
# no others.
function(assay_include_folder target folder)
    get_filename_component(name ${folder} NAME)
    set(root ${PROJECT_BINARY_DIR}/include_of/${name})
    file(MAKE_DIRECTORY ${root}/assay)
    file(CREATE_LINK ${folder} ${root}/${name} SYMBOLIC)
    if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/include/assay/${name})
        file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/assay/${name} ${root}/assay/${name} SYMBOLIC)
    endif()
    target_include_directories(${target} PUBLIC ${root})
endfunction()

# assay_common_headers(TARGET LEVEL): headers from elsewhere that components include, precompiled at this level of optimisation.
function(assay_common_headers target level)
    if(NOT TARGET ${target})
        add_library(${target} STATIC ${PROJECT_BINARY_DIR}/headers.cpp)
        target_link_libraries(${target} PRIVATE assay_flags nlohmann_json::nlohmann_json fmt::fmt)
        target_compile_options(${target} PRIVATE ${level} ${ASSAY_PRECOMPILED})
        target_precompile_headers(${target} PRIVATE ${ASSAY_COMMON_HEADERS})
    endif()
endfunction()

# assay_not_hot(TARGET): options for code whose speed does not matter, for GCC. Both levels are bit-identical, because of -ffp-contract=off,
# and because no option changes arithmetic.
function(assay_not_hot target)
    if(NOT ASSAY_SANITIZE AND NOT ASSAY_OPTIMISE_ALL)
        target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Og>
            $<$<CXX_COMPILER_ID:GNU>:-Wno-error=dangling-pointer;-Wno-error=use-after-free>) # as in cmake/flags.cmake
    endif()
endfunction()

# assay_component(NAME SOURCES a.cpp ... LINKS assay_core fmt::fmt ... [PUBLIC_LINKS ...] [HOT b.cpp ...])
# A folder of src/ becomes a static library, or a shared one in sanitized builds. Its private and public headers have an include folder of their own, so that a
# component can only include its own headers and those of the components that it links
# (tests/walls_test.cmake). It may link only components that were added before it.
# HOT lists the sources whose speed matters. If HOT is given (even empty), GCC compiles the others with -Og, which takes half
# of the time of -O2.
function(assay_component name)
    cmake_parse_arguments(COMPONENT "" "" "SOURCES;LINKS;PUBLIC_LINKS;HOT" ${ARGN})
    foreach(link IN LISTS COMPONENT_LINKS COMPONENT_PUBLIC_LINKS)
        if(link MATCHES "^assay_" AND NOT TARGET ${link})
            message(FATAL_ERROR "assay_${name} links ${link}, which is no component before it (ASSAY_COMPONENTS in CMakeLists.txt)")
        endif()
    endforeach()
    set(parts assay_${name})
    assay_common_headers(assay_headers "")
    set(headers assay_headers)
    if(COMPONENT_HOT)
        list(REMOVE_ITEM COMPONENT_SOURCES ${COMPONENT_HOT})
    endif()
    # Sanitized code is ten times as large. A hundred test programs with copies of it would fill 17 GB of the disk.
    set(kind STATIC)
    if(ASSAY_SANITIZE)
        set(kind SHARED)
    endif()
    add_library(assay_${name} ${kind} ${COMPONENT_SOURCES})
    assay_include_folder(assay_${name} ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(assay_${name} PUBLIC assay_flags nlohmann_json::nlohmann_json ${COMPONENT_PUBLIC_LINKS} PRIVATE fmt::fmt ${COMPONENT_LINKS})
    if(ASSAY_SANITIZE) # what a static library passes on to the linker
        target_link_libraries(assay_${name} INTERFACE $<LINK_ONLY:fmt::fmt>)
        foreach(link IN LISTS COMPONENT_LINKS)
            target_link_libraries(assay_${name} INTERFACE $<LINK_ONLY:${link}>)
        endforeach()
    endif()
    set(external fmt::fmt ${COMPONENT_LINKS} ${COMPONENT_PUBLIC_LINKS})
    list(FILTER external EXCLUDE REGEX "^assay_")
    set_property(GLOBAL APPEND PROPERTY ASSAY_EXTERNAL_LINKS ${external})
    if(NOT "HOT" IN_LIST ARGN)
        set_property(GLOBAL APPEND PROPERTY ASSAY_HOT_OBJECTS $<TARGET_OBJECTS:assay_${name}>)
    else()
        set_property(GLOBAL APPEND PROPERTY ASSAY_OTHER_OBJECTS $<TARGET_OBJECTS:assay_${name}>)
        assay_not_hot(assay_${name})
        if(ASSAY_SANITIZE AND ASSAY_TESTS)
            # As for tests (assay_quick), optimizing takes longer than it saves. A build for hours of fuzzing has no tests.
            assay_common_headers(assay_plain_headers -O0)
            set(headers assay_plain_headers)
            target_compile_options(assay_${name} PRIVATE -O0)
        endif()
    endif()
    target_precompile_headers(assay_${name} REUSE_FROM ${headers})
    if(COMPONENT_HOT)
        add_library(assay_${name}_hot OBJECT ${COMPONENT_HOT})
        target_link_libraries(assay_${name}_hot PRIVATE assay_flags nlohmann_json::nlohmann_json ${COMPONENT_PUBLIC_LINKS} fmt::fmt ${COMPONENT_LINKS})
        assay_include_folder(assay_${name}_hot ${CMAKE_CURRENT_SOURCE_DIR})
        target_precompile_headers(assay_${name}_hot REUSE_FROM assay_headers)
        target_sources(assay_${name} PRIVATE $<TARGET_OBJECTS:assay_${name}_hot>)
        set_property(GLOBAL APPEND PROPERTY ASSAY_HOT_OBJECTS $<TARGET_OBJECTS:assay_${name}_hot>)
        list(APPEND parts assay_${name}_hot)
    endif()
    foreach(part IN LISTS parts)
        target_compile_options(${part} PRIVATE ${ASSAY_PRECOMPILED})
        assay_joined(${part} 160)
    endforeach()
endfunction()

# assay_hot_first(TARGET): if two objects instantiate a template, the linker uses the first one, which then comes from the
# sources compiled for speed.
function(assay_hot_first target)
    if(NOT ASSAY_SANITIZE) # there, components are shared libraries
        get_property(hot GLOBAL PROPERTY ASSAY_HOT_OBJECTS)
        target_sources(${target} PRIVATE ${hot})
    endif()
endfunction()

# assay_allocator_first(TARGET): links tcmalloc first in a program that runs models. With glibc's allocator, each activation is
# a new mmap, and inference has half the speed.
function(assay_allocator_first target)
    if(ASSAY_TCMALLOC AND NOT ASSAY_SANITIZE)
        find_library(ASSAY_TCMALLOC_LIBRARY tcmalloc_minimal)
        if(ASSAY_TCMALLOC_LIBRARY)
            target_link_libraries(${target} PRIVATE -Wl,--no-as-needed ${ASSAY_TCMALLOC_LIBRARY} -Wl,--as-needed)
        endif()
    endif()
endfunction()

# assay_quick(TARGET [LEVEL]): for code whose compile time matters more than its speed. Code with sanitizers takes twice as long to
# optimize as it saves at run time.
function(assay_quick target)
    set(level -O1 ${ARGN})
    list(GET level -1 level)
    if(ASSAY_SANITIZE)
        set(level -O0)
    endif()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}> $<$<CONFIG:Release>:-g0> ${ASSAY_PRECOMPILED})
endfunction()

# assay_test(NAME [SLOW] SOURCES ... LINKS ... [UNSANITIZED Suite.* ...] [TOGETHER Suite ...]): makes an executable test_NAME. Each gtest
# case is a ctest case, but each suite of TOGETHER is one ctest case. UNSANITIZED cases are skipped with sanitizers (see below).
# The label is NAME:fast or NAME:slow, so that ctest -L NAME and ctest -L fast select it. (gtest_discover_tests loses
# all but one of several labels.) A slow executable takes more than ten seconds. Developers run `ctest -L fast` often.
function(assay_test name)
    cmake_parse_arguments(T "SLOW" "" "SOURCES;LINKS;UNSANITIZED;TOGETHER" ${ARGN})
    # UNSANITIZED cases are coverage simulations, stores with every bit flipped, and corruptions of large images. They
    # run the same lines as the fast tests, ten thousand times. A sanitizer finds its errors in the fast tests, minutes earlier.
    if(ASSAY_SANITIZE AND name MATCHES "_coverage$|_every_bit$|^scaling$|^corruption_reference$")
        return()
    endif()
    add_executable(test_${name} ${T_SOURCES})
    target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(test_${name} PRIVATE fmt::fmt ${T_LINKS} GTest::gmock GTest::gtest GTest::gtest_main)
    target_compile_definitions(test_${name} PRIVATE ASSAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    # Compiling with -O0 takes two thirds of the time of -O1, and fast tests spend most of their time in the library.
    set(headers assay_test_headers)
    set(level -O0)
    if(T_SLOW)
        set(headers assay_slow_test_headers)
        set(level -O1)
    endif()
    if(NOT TARGET ${headers})
        add_executable(${headers} ${PROJECT_BINARY_DIR}/headers.cpp)
        target_link_libraries(${headers} PRIVATE assay_flags nlohmann_json::nlohmann_json fmt::fmt GTest::gmock GTest::gtest GTest::gtest_main)
        assay_quick(${headers} ${level})
        target_precompile_headers(${headers} PRIVATE <gmock/gmock.h> <gtest/gtest.h> ${ASSAY_COMMON_HEADERS})
    endif()
    assay_quick(test_${name} ${level})
    target_precompile_headers(test_${name} REUSE_FROM ${headers})
    assay_joined(test_${name} 16)
    if(T_SLOW)
        # ctest runs the suite as one case, because the setup that its gtest cases share takes most of the time.
        assay_test_case(${name} SLOW LABEL ${name} COMMAND test_${name})
        if(name MATCHES "_coverage$")  # the suite is a simulation in one thread
            set_tests_properties(${name} PROPERTIES PROCESSORS 1)
        endif()
    else()
        if(NOT ASSAY_SANITIZE)
            set(T_UNSANITIZED "")
        endif()
        set(left_out "")
        # The shared setup of these suites takes most of their time, and every case of ctest is a process.
        foreach(suite IN LISTS T_TOGETHER)
            list(JOIN T_UNSANITIZED ":" names)
            assay_test_case(${suite} LABEL ${name} COMMAND test_${name} "--gtest_filter=${suite}.*-${names}")
        endforeach()
        list(TRANSFORM T_TOGETHER APPEND ".*")
        list(APPEND T_UNSANITIZED ${T_TOGETHER})
        if(T_UNSANITIZED)
            list(JOIN T_UNSANITIZED ":" names)
            set(left_out TEST_FILTER "-${names}")
        endif()
        gtest_discover_tests(test_${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 ${left_out}
            PROPERTIES TIMEOUT 300 LABELS ${name}:fast)
    endif()
endfunction()

# assay_test_case(NAME [SLOW] LABEL ... COMMAND ... [ENVIRONMENT ...]): adds a ctest case with the labels of assay_test.
function(assay_test_case name)
    cmake_parse_arguments(C "SLOW" "LABEL" "COMMAND;ENVIRONMENT" ${ARGN})
    add_test(NAME ${name} COMMAND ${C_COMMAND})
    if(C_SLOW)
        set_tests_properties(${name} PROPERTIES LABELS ${C_LABEL}:slow TIMEOUT 1200 PROCESSORS 2)
    else()
        set_tests_properties(${name} PROPERTIES LABELS ${C_LABEL}:fast TIMEOUT 300)
    endif()
    if(C_ENVIRONMENT)
        set_tests_properties(${name} PROPERTIES ENVIRONMENT "${C_ENVIRONMENT}")
    endif()
endfunction()

# assay_test_without_simd(NAME FILTER): runs the gtest cases of test_NAME that match FILTER again without SIMD. The
# tests are the same, so the results are bit-identical.
function(assay_test_without_simd name filter)
    assay_test_case(${name}_without_simd LABEL ${name} COMMAND test_${name} --gtest_filter=${filter} ENVIRONMENT ASSAY_SIMD=none)
endfunction()

# assay_fuzz(NAME source.cpp [DICTIONARY word] [SEEDS folder ...] LINKS ...): a libFuzzer target fuzz_NAME, which starts with
# the files of fuzz/corpus/NAME and of the folders (of the tree), and uses the words of fuzz/dictionaries/DICTIONARY.dict. If
# tests are on, a run of two thousand inputs is a test: tools/fuzz.
function(assay_fuzz name source)
    cmake_parse_arguments(F "" "DICTIONARY" "SEEDS;LINKS" ${ARGN})
    add_executable(fuzz_${name} ${source})
    target_link_libraries(fuzz_${name} PRIVATE ${F_LINKS})
    target_compile_options(fuzz_${name} PRIVATE ${ASSAY_FUZZ_COVERAGE})
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    set(arguments "")
    if(F_DICTIONARY)
        list(APPEND arguments -dict=${PROJECT_SOURCE_DIR}/fuzz/dictionaries/${F_DICTIONARY}.dict)
    endif()
    foreach(folder fuzz/corpus/${name} ${F_SEEDS})
        if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${folder})
            list(APPEND arguments ${PROJECT_SOURCE_DIR}/${folder})
        endif()
    endforeach()
    list(JOIN arguments "\n" arguments)
    file(WRITE ${PROJECT_BINARY_DIR}/fuzz/${name}.arguments "${arguments}\n")
    if(ASSAY_TESTS)
        assay_test_case(fuzz_${name} LABEL fuzz
            COMMAND ${PROJECT_SOURCE_DIR}/tools/fuzz --build ${PROJECT_BINARY_DIR} --seconds 60 --seed 1 --runs 2000 ${name})
    endif()
endfunction()
