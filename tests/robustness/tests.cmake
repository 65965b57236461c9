# Tests of attacks.
assay_test(attack
    SOURCES robustness/attack_test.cpp robustness/linear_attack_test.cpp robustness/minimum_norm_test.cpp model/loss_test.cpp
    LINKS assay_robustness
    UNSANITIZED AttackOrder.* AttackOnLinearClasses.TheTargetedAttacksReachTheClosedForm)
assay_test(corruptions
    SOURCES robustness/corruption_test.cpp robustness/slow_test.cpp robustness/corrupt_dataset_test.cpp
    LINKS assay_robustness)
assay_test_without_simd(corruptions Corruption.*)
assay_test(corrupted_accuracy
    SOURCES robustness/corrupted_accuracy_test.cpp robustness/severity_stack_test.cpp
    LINKS assay_robustness assay_evaluate)
assay_test(corruption_reference SLOW
    SOURCES robustness/reference_test.cpp
    LINKS assay_robustness Threads::Threads)
