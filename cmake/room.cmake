# assay_room(NAME SOURCES a.cpp ... LINKS assay_core fmt::fmt ... [PUBLIC_LINKS ...])
# One folder of src/, one static library. A room sees the public headers, its own folder, and what it links.
function(assay_room name)
    cmake_parse_arguments(ROOM "" "" "SOURCES;LINKS;PUBLIC_LINKS" ${ARGN})
    add_library(assay_${name} STATIC ${ROOM_SOURCES})
    target_include_directories(assay_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(assay_${name} PUBLIC assay_flags nlohmann_json::nlohmann_json ${ROOM_PUBLIC_LINKS} PRIVATE ${ROOM_LINKS})
endfunction()

# assay_test(NAME SOURCES ... LINKS ...): one executable test_NAME of several files, each gtest case a ctest case.
function(assay_test name)
    cmake_parse_arguments(T "" "" "SOURCES;LINKS;LABELS" ${ARGN})
    add_executable(test_${name} ${T_SOURCES})
    target_include_directories(test_${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
    target_link_libraries(test_${name} PRIVATE ${T_LINKS} GTest::gmock GTest::gtest GTest::gtest_main)
    target_compile_definitions(test_${name} PRIVATE ASSAY_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    gtest_discover_tests(test_${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300 LABELS "${name}")
endfunction()

# assay_fuzz(NAME source.cpp LINKS ...): a libFuzzer target fuzz_NAME.
function(assay_fuzz name source)
    cmake_parse_arguments(F "" "" "LINKS" ${ARGN})
    add_executable(fuzz_${name} ${source})
    target_link_libraries(fuzz_${name} PRIVATE ${F_LINKS})
    target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
endfunction()
