assay_test(derived
    SOURCES derived/calibrate_test.cpp derived/ensemble_test.cpp
    LINKS assay_derived fmt::fmt Threads::Threads)
