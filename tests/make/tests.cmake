# Boxes and composites.
assay_test(boxes SOURCES make/boxes_test.cpp LINKS assay_make)
assay_test(composites SOURCES make/composite_plan_test.cpp make/composites_test.cpp LINKS assay_make Threads::Threads)
if(TARGET assay)
    assay_test(patchml SOURCES make/patchml_command_test.cpp LINKS assay_data)
    target_compile_definitions(test_patchml PRIVATE ASSAY_PROGRAM="$<TARGET_FILE:assay>")
    add_dependencies(test_patchml assay)
endif()
