# Tests of the Python package with the built library, with the distribution's Python if it has NumPy.
find_program(ASSAY_NUMPY_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(ASSAY_NUMPY_PYTHON python3)
if(ASSAY_NUMPY_PYTHON AND BUILD_SHARED_LIBS AND NOT ASSAY_SANITIZE)
    foreach(part
        score valid_labels errors option_names bad_input habits inputs changed_bytes estimate joint columns
        votes code_blocks audit conformal slices paper paper_mad methods method_comparison reports pages
        weights types stores metrics copies calibrate onnx_files onnx_operators datasets stored functions
        gradients quality_run opencv patterns package torchvision_families)
        set(module test_${part})
        if(part STREQUAL package)
            set(module package)
        endif()
        assay_test_case(python_${part} LABEL python
            ENVIRONMENT ASSAY_LIBRARY=$<TARGET_FILE:assay_library> ASSAY_PROGRAM=$<TARGET_FILE:assay>
            COMMAND ${ASSAY_NUMPY_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/python/run.py ${module})
        set_tests_properties(python_${part} PROPERTIES SKIP_RETURN_CODE 77)
    endforeach()
    # Models in Python run in the environment that tools/torch-python makes, or without it in the distribution's Python, if it has
    # PyTorch. The hubs test needs timm, torchvision and transformers, too; coming_from, ray, dask and trainers skip each package that is missing.
    foreach(part worker costs described distributed ray dask hubs open_clip models evaluate layouts coming_from trainers)
        set(slow "")
        if(part MATCHES "distributed|ray|dask|hubs|open_clip|trainers") # these processes import torch and more
            set(slow SLOW)
        endif()
        assay_test_case(python_${part} LABEL python ${slow}
            ENVIRONMENT ASSAY_LIBRARY=$<TARGET_FILE:assay_library> ASSAY_PROGRAM=$<TARGET_FILE:assay>
            COMMAND ${ASSAY_NUMPY_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/python/run.py --torch test_${part})
        set_tests_properties(python_${part} PROPERTIES SKIP_RETURN_CODE 77)
    endforeach()
    if(TARGET test_demo)
        add_dependencies(test_demo assay_library)
        target_compile_definitions(test_demo PRIVATE ASSAY_NOTEBOOK="${CMAKE_CURRENT_SOURCE_DIR}/python/run.py"
            ASSAY_NOTEBOOK_PYTHON="${ASSAY_NUMPY_PYTHON}" ASSAY_LIBRARY_FILE="$<TARGET_FILE:assay_library>")
    endif()
endif()
