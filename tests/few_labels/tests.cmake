assay_test(few_labels
    SOURCES few_labels/target_test.cpp few_labels/study_test.cpp few_labels/study_answers_test.cpp few_labels/study_known_test.cpp
    LINKS assay_few_labels assay_evaluate fmt::fmt Threads::Threads)
assay_test(few_labels_coverage SLOW
    SOURCES few_labels/few_labels_coverage_test.cpp
    LINKS assay_few_labels assay_evaluate fmt::fmt Threads::Threads)
assay_test(drift_coverage SLOW
    SOURCES few_labels/drift_coverage_test.cpp
    LINKS assay_few_labels fmt::fmt Threads::Threads)
