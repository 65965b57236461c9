# All tests that run the built program.
function(assay_program_test name)
    assay_test(${name} ${ARGN})
    target_link_libraries(test_${name} PRIVATE nlohmann_json::nlohmann_json)
    target_compile_definitions(test_${name} PRIVATE ASSAY_PROGRAM="$<TARGET_FILE:assay>")
    add_dependencies(test_${name} assay)
endfunction()

assay_program_test(cli
    SOURCES cli/progress_test.cpp cli/help_test.cpp cli/usage_test.cpp cli/output_test.cpp cli/limits_test.cpp cli/damaged_test.cpp cli/signals_test.cpp cli/inspect_command_test.cpp cli/labels_show_test.cpp cli/given_labels_test.cpp cli/label_kinds_test.cpp
        cli/corrupt_test.cpp cli/robustness_test.cpp cli/patchml_test.cpp cli/quality_test.cpp cli/replicate_test.cpp cli/serve_test.cpp cli/report_test.cpp cli/plot_test.cpp cli/version_test.cpp cli/readme_test.cpp
    LINKS assay_cli assay_patchml assay_store assay_core Threads::Threads
    UNSANITIZED Replicate.AdjustFindsTheTruth Replicate.PlanAndMatch)
assay_program_test(damaged_json
    SOURCES cli/damaged_json_test.cpp
    LINKS assay_core)
# Plug-ins are compiled by the test as users compile them, for this machine and without sanitizers.
if(NOT ASSAY_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
    assay_program_test(plugins
        SOURCES cli/plugins_test.cpp cli/python_plugins_test.cpp
        LINKS assay_patchml assay_image assay_core)
    target_compile_definitions(test_plugins PRIVATE ASSAY_C_COMPILER="${CMAKE_C_COMPILER}")
    if(TARGET assay_torch)
        target_compile_definitions(test_plugins PRIVATE ASSAY_HAS_TORCH=1)
        add_dependencies(test_plugins assay_torch)
    endif()
endif()
# Runs in the installed shells. For the others, a message says that they are missing.
assay_program_test(completion
    SOURCES cli/completion_test.cpp cli/described_test.cpp cli/described_results.cpp cli/described_results_test.cpp cli/manual_test.cpp cli/shells_test.cpp
    LINKS assay_commands assay_core util
    UNSANITIZED Shells.* Pages.* Environment.* Numbers.EveryOption*)
# A sanitizer can find the same errors in BesideWriter, in half the time.
if(NOT ASSAY_SANITIZE)
    assay_program_test(beside SLOW
        SOURCES cli/beside_test.cpp
        LINKS assay_core)
endif()
assay_program_test(sweep
    SOURCES cli/sweep_test.cpp cli/hints_test.cpp cli/sweep_rows.cpp
    LINKS assay_image assay_labelling assay_core
    UNSANITIZED Hints.EveryOption* Hints.TheManuals* Hints.WhatStandsFor* SweepTable.EveryCommandHas* SweepTable.EveryHelpFits* SweepTable.UnknownOptions* Sweep.QuietSilences* Sweep.LatexHas* Sweep.MarkdownHas* Sweep.CsvIsOneTable Sweep.AClosedStdoutIsNoCrash Sweep.AFullDisk* Sweep.LogsHave*)

# Runs with the distribution's Python, which has packages that read the files of other tools.
if(EXISTS /usr/bin/python3 AND NOT ASSAY_SANITIZE)
    assay_test_case(tools LABEL cli COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/cli/tools.py $<TARGET_FILE:assay> ${PROJECT_SOURCE_DIR})
endif()

if(TARGET assay_torch AND EXISTS /usr/bin/python3 AND NOT ASSAY_SANITIZE)
    # Runs with the distribution's python3-torch, and is skipped without it.
    assay_test_case(training_mode LABEL cli COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/cli/training_mode.py $<TARGET_FILE:assay>)
    assay_test_case(masked_models LABEL cli COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/cli/masked_models.py $<TARGET_FILE:assay>)
    set_tests_properties(training_mode masked_models PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
endif()

if(TARGET assay_torch)
    add_executable(shape_images cli/shapes/make_images.cpp)
    target_link_libraries(shape_images PRIVATE assay_core PNG::PNG fmt::fmt)
    set(shapes ${PROJECT_BINARY_DIR}/shapes)
    add_custom_command(TARGET shape_images POST_BUILD COMMAND shape_images ${shapes} VERBATIM)
    assay_program_test(end_to_end
        SOURCES cli/end_to_end_test.cpp cli/eval_test.cpp cli/cost_test.cpp cli/identity_test.cpp cli/isolate_test.cpp cli/binary_models_test.cpp
        LINKS assay_store assay_core)
    target_compile_definitions(test_end_to_end PRIVATE ASSAY_IMAGES="$<TARGET_FILE:shape_images>" ASSAY_SHAPES="${shapes}")
    add_dependencies(test_end_to_end assay_torch shape_images)
    target_compile_definitions(test_sweep PRIVATE ASSAY_HAS_TORCH=1)
    assay_program_test(python_models
        SOURCES cli/python_models_test.cpp
        LINKS assay_model assay_core)
    target_compile_definitions(test_python_models PRIVATE ASSAY_SHAPES="${shapes}")
    add_dependencies(test_python_models shape_images)
    assay_program_test(supervised
        SOURCES cli/supervised_test.cpp cli/positionals_test.cpp
        LINKS assay_cli assay_model assay_core)
    target_compile_definitions(test_supervised PRIVATE ASSAY_SHAPES="${shapes}")
    add_dependencies(test_supervised shape_images)

    if(NOT ASSAY_SANITIZE)
        assay_test_case(clusters LABEL cli COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli/clusters.sh
            $<TARGET_FILE:assay> $<TARGET_FILE:shape_images> ${PROJECT_SOURCE_DIR})
        if(BUILD_SHARED_LIBS)
            assay_test_case(torch_build SLOW LABEL cli ENVIRONMENT CXX=${CMAKE_CXX_COMPILER}
                COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli/torch_build.sh ${PROJECT_BINARY_DIR} $<TARGET_FILE:shape_images> ${PROJECT_SOURCE_DIR})
        endif()
        assay_test_case(mpi_commands SLOW LABEL cli COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli/mpi.sh
            $<TARGET_FILE:assay> $<TARGET_FILE:shape_images> ${PROJECT_SOURCE_DIR})
        set_tests_properties(mpi_commands PROPERTIES SKIP_RETURN_CODE 77)
    endif()

    assay_program_test(quality_program SLOW
        SOURCES cli/quality_run_test.cpp
        LINKS assay_core)
    target_compile_definitions(test_quality_program PRIVATE ASSAY_IMAGES="$<TARGET_FILE:shape_images>")
    add_dependencies(test_quality_program assay_torch shape_images)

    assay_program_test(demo SLOW
        SOURCES cli/demo_test.cpp
        LINKS assay_store assay_core)
    add_dependencies(test_demo assay_torch)
    if(ASSAY_PYTHON AND NOT ASSAY_SANITIZE)
        target_compile_definitions(test_demo PRIVATE ASSAY_TUTORIALS_PYTHON="${ASSAY_PYTHON}"
            ASSAY_TUTORIALS="${CMAKE_CURRENT_SOURCE_DIR}/docs/tutorials.py")
    endif()
endif()
