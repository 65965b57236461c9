# These run the built program; ASSAY_PROGRAM is where it is.
assay_test(cli
    SOURCES cli/table_test.cpp cli/usage_test.cpp cli/output_test.cpp cli/damaged_test.cpp
    LINKS assay_cli assay_core Threads::Threads)
target_compile_definitions(test_cli PRIVATE ASSAY_PROGRAM="$<TARGET_FILE:assay>")
add_dependencies(test_cli assay)
assay_test(labels_show SOURCES cli/labels_show_test.cpp LINKS nlohmann_json::nlohmann_json)
target_compile_definitions(test_labels_show PRIVATE ASSAY_PROGRAM="$<TARGET_FILE:assay>")
add_dependencies(test_labels_show assay)

if(TARGET assay_torch)
    add_executable(shape_images cli/shapes/make_images.cpp)
    target_link_libraries(shape_images PRIVATE assay_core PNG::PNG fmt::fmt)
    assay_test(end_to_end
        SOURCES cli/end_to_end_test.cpp
        LINKS assay_store assay_core nlohmann_json::nlohmann_json)
    target_compile_definitions(test_end_to_end PRIVATE
        ASSAY_PROGRAM="$<TARGET_FILE:assay>" ASSAY_IMAGES="$<TARGET_FILE:shape_images>")
    add_dependencies(test_end_to_end assay assay_torch shape_images)
endif()

if(TARGET assay_torch)
    # One test for ctest: its cases share one world, which takes most of the time.
    add_executable(test_demo cli/demo_test.cpp)
    target_include_directories(test_demo PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(test_demo PRIVATE assay_store assay_core nlohmann_json::nlohmann_json GTest::gmock GTest::gtest GTest::gtest_main)
    target_compile_definitions(test_demo PRIVATE ASSAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ASSAY_PROGRAM="$<TARGET_FILE:assay>")
    add_dependencies(test_demo assay assay_torch)
    add_test(NAME demo COMMAND test_demo)
    set_tests_properties(demo PROPERTIES LABELS demo TIMEOUT 1200 PROCESSORS 2)
endif()
