assay_test(rank
    SOURCES rank/ordering_test.cpp rank/gap_statistics_test.cpp rank/gap_report_test.cpp rank/gap_coverage_test.cpp
        rank/gap_table_test.cpp
    LINKS assay_rank fmt::fmt)
