assay_test(model_spec
    SOURCES model/model_spec_test.cpp model/huggingface_test.cpp model/device_choice_test.cpp model/two_classes_test.cpp
    LINKS assay_model)

assay_test(model_pt2
    SOURCES model/pt2_package_test.cpp
    LINKS assay_pt2 assay_model ZLIB::ZLIB)

# Models in Python run in a worker that needs no packages.
assay_test(model_python
    SOURCES model/python_model_test.cpp model/python_process_test.cpp
    LINKS assay_model)

# These two libraries are not the plug-in.
add_library(fake_plugin_build MODULE model/fake_plugin.cpp)
target_compile_definitions(fake_plugin_build PRIVATE FAKE_BUILD=1)
add_library(fake_plugin_none MODULE model/fake_plugin.cpp)
foreach(fake fake_plugin_build fake_plugin_none)
    target_include_directories(${fake} PRIVATE $<TARGET_PROPERTY:assay_model,INTERFACE_INCLUDE_DIRECTORIES>)
    target_link_libraries(${fake} PRIVATE assay_flags)
endforeach()
assay_test(model_plugin
    SOURCES model/plugin_test.cpp
    LINKS assay_model)
target_compile_definitions(test_model_plugin PRIVATE
    OTHER_BUILD="$<TARGET_FILE:fake_plugin_build>" OTHER_LIBRARY="$<TARGET_FILE:fake_plugin_none>")
add_dependencies(test_model_plugin fake_plugin_build fake_plugin_none)

# The symbols that show which std::string a LibTorch was compiled with, for both kinds.
add_library(fake_c10 MODULE model/fake_c10.cpp)
add_library(fake_c10_old MODULE model/fake_c10.cpp)
target_compile_definitions(fake_c10_old PRIVATE _GLIBCXX_USE_CXX11_ABI=0)
assay_test(model_libtorch
    SOURCES model/libtorch_test.cpp
    LINKS assay_model)
target_compile_definitions(test_model_libtorch PRIVATE
    FAKE_C10="$<TARGET_FILE:fake_c10>" FAKE_C10_OLD="$<TARGET_FILE:fake_c10_old>")
add_dependencies(test_model_libtorch fake_c10 fake_c10_old)

if(ASSAY_TORCH)
    target_compile_definitions(test_model_plugin PRIVATE ASSAY_HAS_TORCH=1)
    target_compile_definitions(test_model_libtorch PRIVATE ASSAY_HAS_TORCH=1)
endif()
if(TARGET assay_torch)
    assay_test(model_torch
        SOURCES model/torch_test.cpp model/onnx_test.cpp model/onnx_ops_test.cpp model/quantised_test.cpp
            model/newer_test.cpp model/pt2_test.cpp
            model/shared_test.cpp model/classifier_gradient_test.cpp model/binary_models_test.cpp
        LINKS assay_pt2 assay_model ZLIB::ZLIB)
    assay_test(model_isolated
        SOURCES model/isolated_test.cpp model/sandbox_test.cpp model/wire_test.cpp
        LINKS assay_sandbox assay_pt2 assay_model ZLIB::ZLIB Threads::Threads)
    foreach(test test_model_torch test_model_isolated)
        add_dependencies(${test} assay_torch assay_model_process)
    endforeach()
    # LibTorch itself makes the TorchScript modules.
    assay_test(model_cost
        SOURCES model/cost_test.cpp model/cost_script_test.cpp model/cost_wire_test.cpp
        LINKS assay_pt2 assay_model $<TARGET_PROPERTY:assay_torch,LINK_LIBRARIES>)
    target_include_directories(test_model_cost SYSTEM PRIVATE ${TORCH_INCLUDE_DIRS})
    set_target_properties(test_model_cost PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
    assay_test(model_cost_known SLOW
        SOURCES model/cost_known_test.cpp
        LINKS assay_model)
    foreach(test test_model_cost test_model_cost_known)
        add_dependencies(${test} assay_torch assay_model_process)
    endforeach()
    # The plug-in's own objects are linked, to test functions that are not in its interface.
    assay_test(model_gradient
        SOURCES model/pt2_gradient_test.cpp model/onnx_gradient_test.cpp model/fused_test.cpp model/convolution_flags_test.cpp $<TARGET_OBJECTS:assay_torch>
        LINKS assay_pt2 assay_model $<TARGET_PROPERTY:assay_torch,LINK_LIBRARIES>)
    target_include_directories(test_model_gradient SYSTEM PRIVATE ${TORCH_INCLUDE_DIRS})
    # LibTorch has other definitions than those with which the headers were precompiled.
    set_target_properties(test_model_gradient PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
    assay_test(model_device
        SOURCES model/device_test.cpp model/fake_device.cpp $<TARGET_OBJECTS:assay_torch>
        LINKS assay_evaluate assay_pt2 $<TARGET_PROPERTY:assay_torch,LINK_LIBRARIES>)
    target_include_directories(test_model_device SYSTEM PRIVATE ${TORCH_INCLUDE_DIRS})
    set_target_properties(test_model_device PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
    # Runs three of torchvision's families if the distribution's python3-torchvision is installed. Started by hand, it runs all.
    assay_test_case(torchvision_table SLOW LABEL model_torch
        COMMAND ${PROJECT_SOURCE_DIR}/tests/model/torchvision_table.py $<TARGET_FILE:assay>
            --architectures mobilenet_v3_small,googlenet,squeezenet1_1 --forms trace,script,onnx11,onnx13,pt2)
    set_tests_properties(torchvision_table PROPERTIES SKIP_RETURN_CODE 77)
    # Runs four architectures of current packages if their environment exists. Started by hand, it makes one and runs all.
    assay_test_case(architecture_table SLOW LABEL model_torch
        COMMAND ${PROJECT_SOURCE_DIR}/tests/model/architecture_table.py $<TARGET_FILE:assay> --some --if-there)
    set_tests_properties(architecture_table PROPERTIES SKIP_RETURN_CODE 77)
endif()

assay_test(train
    SOURCES model/train_test.cpp
    LINKS assay_model
    TOGETHER Trained)
if(TARGET assay_torch)
    target_compile_definitions(test_train PRIVATE ASSAY_HAS_TORCH=1)
    add_dependencies(test_train assay_torch)
endif()
