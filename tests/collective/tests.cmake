assay_test(collective
    SOURCES collective/comm_test.cpp
    LINKS assay_collective assay_core Threads::Threads)
