assay_test(predict
    SOURCES engine/predict_test.cpp
    LINKS assay_engine Threads::Threads)
assay_test(score
    SOURCES engine/score_test.cpp engine/compare_test.cpp engine/multilabel_score_test.cpp
    LINKS assay_engine fmt::fmt Threads::Threads)
add_test(NAME score_without_simd COMMAND test_score --gtest_filter=Multilabel.*)
set_tests_properties(score_without_simd PROPERTIES ENVIRONMENT ASSAY_SIMD=none LABELS score TIMEOUT 300)
assay_test(check
    SOURCES engine/check_test.cpp engine/check_simulation_test.cpp
    LINKS assay_engine fmt::fmt Threads::Threads)
assay_test(dataset_gap
    SOURCES engine/dataset_gap_test.cpp
    LINKS assay_engine fmt::fmt Threads::Threads)
