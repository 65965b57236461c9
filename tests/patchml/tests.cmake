# Boxes and composites.
assay_test(boxes SOURCES patchml/boxes_test.cpp LINKS assay_patchml)
assay_test(composites
    SOURCES patchml/composite_plan_test.cpp patchml/composites_test.cpp patchml/patchml_test.cpp
    LINKS assay_patchml Threads::Threads)
if(TARGET assay)
    assay_test(patchml SOURCES patchml/patchml_command_test.cpp LINKS assay_data)
    target_compile_definitions(test_patchml PRIVATE ASSAY_PROGRAM="$<TARGET_FILE:assay>")
    add_dependencies(test_patchml assay)
endif()
