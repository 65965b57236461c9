assay_test(metric
    SOURCES metric/class_wise_test.cpp metric/ece_test.cpp metric/table_test.cpp metric/multilabel_test.cpp metric/ranks_test.cpp
    LINKS assay_metric assay_collective Threads::Threads)
add_test(NAME label_sets_without_simd COMMAND test_metric --gtest_filter=VariableTopK.*)
set_tests_properties(label_sets_without_simd PROPERTIES ENVIRONMENT ASSAY_SIMD=none LABELS metric TIMEOUT 300)
