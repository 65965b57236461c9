assay_test(metric
    SOURCES metric/class_wise_test.cpp metric/table_test.cpp
    LINKS assay_metric)
