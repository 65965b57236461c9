assay_test(core
    SOURCES core/describe_test.cpp core/error_test.cpp core/file_test.cpp core/json_test.cpp core/memory_budget_test.cpp core/parallel_test.cpp core/random_test.cpp core/text_test.cpp core/toml_test.cpp
    LINKS assay_core Threads::Threads
    UNSANITIZED Json.ManyObjectsInOneTakeTimeInProportion)
assay_test(npy
    SOURCES core/npy_test.cpp core/half_test.cpp core/zip_test.cpp
    LINKS assay_core ZLIB::ZLIB)
assay_test(csv
    SOURCES core/csv_test.cpp
    LINKS assay_core)
assay_test(statistics
    SOURCES core/statistics_test.cpp core/rank_correlation_test.cpp core/softmax_test.cpp
    LINKS assay_core)
