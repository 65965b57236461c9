assay_test(votes
    SOURCES label/votes_test.cpp label/dawid_skene_test.cpp label/aggregate_test.cpp label/inflate_test.cpp
    LINKS assay_label fmt::fmt ZLIB::ZLIB)
assay_test(label
    SOURCES label/label_stats_test.cpp label/propose_test.cpp
    LINKS assay_label fmt::fmt ZLIB::ZLIB)
