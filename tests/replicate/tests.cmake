assay_test(replicate
    SOURCES replicate/cells_test.cpp replicate/fixture_test.cpp replicate/simulation_test.cpp
        replicate/mixture_test.cpp replicate/selections_test.cpp replicate/adjust_test.cpp
        replicate/matching_test.cpp replicate/hits_store_test.cpp replicate/quality_test.cpp
    LINKS assay_replicate fmt::fmt nlohmann_json::nlohmann_json)

if(TARGET assay)
    assay_test(replicate_command
        SOURCES replicate/command_test.cpp
        LINKS assay_core nlohmann_json::nlohmann_json)
    target_compile_definitions(test_replicate_command PRIVATE ASSAY_PROGRAM="$<TARGET_FILE:assay>")
    add_dependencies(test_replicate_command assay)
endif()
