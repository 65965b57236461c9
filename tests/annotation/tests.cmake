assay_test(votes
    SOURCES annotation/votes_test.cpp annotation/dawid_skene_test.cpp annotation/aggregate_test.cpp
            annotation/aggregate_votes_test.cpp annotation/crowd_votes_test.cpp annotation/crowd_files_test.cpp
            annotation/which_class_test.cpp
    LINKS assay_annotation fmt::fmt ZLIB::ZLIB
    UNSANITIZED DawidSkene.ConvergesByDefaultAndSoon RealVotes.AgreeWithThePublishedLabels)
assay_test(label
    SOURCES annotation/label_stats_test.cpp annotation/propose_test.cpp
    LINKS assay_annotation assay_evaluate fmt::fmt ZLIB::ZLIB)
assay_test(true_sets
    SOURCES annotation/true_sets_test.cpp
    LINKS assay_annotation fmt::fmt)
