assay_test(core
    SOURCES core/child_trial_test.cpp core/describe_test.cpp core/describe_result_test.cpp core/record_file_test.cpp core/error_test.cpp core/file_test.cpp core/folder_aside_test.cpp core/half_test.cpp core/json_reader_test.cpp core/json_damage_test.cpp core/joined_sets_test.cpp core/json_test.cpp core/memory_budget_test.cpp core/parallel_test.cpp core/random_test.cpp core/sha256_test.cpp core/text_test.cpp core/toml_test.cpp
    LINKS assay_core Threads::Threads
    UNSANITIZED Json.ManyObjectsInOneTakeTimeInProportion)
assay_test(statistics
    SOURCES core/statistics_test.cpp core/rank_correlation_test.cpp core/softmax_test.cpp core/log_odds_test.cpp
    LINKS assay_core)
