assay_test(slices
    SOURCES slices/search_test.cpp slices/slices_test.cpp slices/cluster_test.cpp
    LINKS assay_slices assay_evaluate fmt::fmt Threads::Threads)
