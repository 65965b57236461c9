assay_test(audit
    SOURCES audit/audit_test.cpp audit/answers_test.cpp audit/duplicates_test.cpp audit/pixel_duplicates_test.cpp audit/wrong_labels_test.cpp
    LINKS assay_audit assay_evaluate fmt::fmt Threads::Threads)
