assay_test(report
    SOURCES report/cells_test.cpp report/text_test.cpp report/formats_test.cpp
    LINKS assay_report assay_core)
