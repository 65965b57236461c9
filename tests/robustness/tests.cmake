# Attacks.
assay_test(attack
    SOURCES robustness/attack_test.cpp robustness/linear_attack_test.cpp model/loss_test.cpp
    LINKS assay_robustness)
