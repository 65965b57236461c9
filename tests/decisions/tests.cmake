assay_test(decisions
    SOURCES decisions/conformal_test.cpp decisions/methods_test.cpp decisions/operating_test.cpp decisions/rate_gate_test.cpp decisions/cost_decisions_test.cpp
    LINKS assay_decisions assay_evaluate fmt::fmt Threads::Threads)
