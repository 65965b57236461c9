# These run the built program; ASSAY_PROGRAM is where it is.
assay_test(cli
    SOURCES cli/table_test.cpp cli/usage_test.cpp
    LINKS assay_cli assay_core)
target_compile_definitions(test_cli PRIVATE ASSAY_PROGRAM="$<TARGET_FILE:assay>")
add_dependencies(test_cli assay)

if(TARGET assay_torch)
    assay_test(end_to_end
        SOURCES cli/end_to_end_test.cpp
        LINKS assay_store assay_core nlohmann_json::nlohmann_json)
    target_compile_definitions(test_end_to_end PRIVATE
        ASSAY_PROGRAM="$<TARGET_FILE:assay>" ASSAY_PICTURES="$<TARGET_FILE:quickstart_pictures>")
    add_dependencies(test_end_to_end assay assay_torch quickstart_pictures)
endif()
