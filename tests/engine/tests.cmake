assay_test(predict
    SOURCES engine/predict_test.cpp
    LINKS assay_engine Threads::Threads)
assay_test(score
    SOURCES engine/score_test.cpp engine/compare_test.cpp
    LINKS assay_engine fmt::fmt Threads::Threads)
assay_test(check
    SOURCES engine/check_test.cpp engine/check_simulation_test.cpp
    LINKS assay_engine fmt::fmt Threads::Threads)
