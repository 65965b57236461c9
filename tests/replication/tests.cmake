assay_test(replicate
    SOURCES replication/cells_test.cpp replication/fixture_test.cpp replication/simulation_test.cpp
        replication/mixture_test.cpp replication/selections_test.cpp replication/adjust_test.cpp
        replication/matching_test.cpp replication/hits_store_test.cpp replication/quality_test.cpp replication/steps_test.cpp
    LINKS assay_replication fmt::fmt nlohmann_json::nlohmann_json)

if(TARGET assay)
    assay_test(replicate_command
        SOURCES replication/command_test.cpp
        LINKS assay_core nlohmann_json::nlohmann_json)
    target_compile_definitions(test_replicate_command PRIVATE ASSAY_PROGRAM="$<TARGET_FILE:assay>")
    add_dependencies(test_replicate_command assay)
endif()
