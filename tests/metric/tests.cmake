assay_test(metric
    SOURCES metric/class_wise_test.cpp metric/ece_test.cpp metric/table_test.cpp metric/multilabel_test.cpp metric/ranks_test.cpp
            metric/shape_bias_test.cpp metric/class_scores_test.cpp metric/binary_scores_test.cpp metric/class_wise_ece_test.cpp metric/class_curves_test.cpp metric/guided_search_test.cpp metric/separation_test.cpp metric/multilabel_sums_test.cpp metric/class_mean_test.cpp
    LINKS assay_metric assay_collective Threads::Threads
    UNSANITIZED Coverage.* Curves.AgreeWithTheWordingOnTables Curves.ManyPositivesAndManyStretches ClassWiseEce.AgreesWithTheWording ClassWise.AgreesWithTheWordingOnNineHundredTables)
assay_test_without_simd(metric VariableTopK.*:Curves.*:GuidedSearch.*)
assay_test(asma_coverage SLOW
    SOURCES metric/asma_coverage_test.cpp
    LINKS assay_metric)
assay_test(class_wise_ece_coverage SLOW
    SOURCES metric/class_wise_ece_coverage_test.cpp
    LINKS assay_metric)
assay_test(curve_coverage SLOW
    SOURCES metric/curve_coverage_test.cpp
    LINKS assay_metric)
assay_test(multilabel_coverage SLOW
    SOURCES metric/multilabel_coverage_test.cpp
    LINKS assay_metric)
assay_test(order_coverage SLOW
    SOURCES metric/order_coverage_test.cpp
    LINKS assay_metric)
assay_test(separation_coverage SLOW
    SOURCES metric/separation_coverage_test.cpp
    LINKS assay_metric)
assay_test(given_truth_coverage SLOW
    SOURCES metric/given_truth_coverage_test.cpp
    LINKS assay_metric)
assay_test(temperature_coverage SLOW
    SOURCES metric/temperature_coverage_test.cpp
    LINKS assay_metric)
assay_test(class_score_intervals
    SOURCES metric/class_score_intervals_test.cpp
    LINKS assay_metric fmt::fmt Threads::Threads)
