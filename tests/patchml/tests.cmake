# Tests of boxes and composites.
assay_test(boxes SOURCES patchml/boxes_test.cpp LINKS assay_patchml)
assay_test(composites
    SOURCES patchml/composite_plan_test.cpp patchml/composites_test.cpp patchml/patchml_test.cpp
    LINKS assay_patchml Threads::Threads)
