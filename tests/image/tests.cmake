assay_test(pixels
    SOURCES image/decode_test.cpp image/exif_test.cpp image/encode_test.cpp image/file_facts_test.cpp image/resize_test.cpp image/torch_resize_test.cpp image/torch_float_test.cpp
        image/opencv_resize_test.cpp image/preprocess_test.cpp image/lettering_test.cpp
    LINKS assay_image PkgConfig::webp Threads::Threads)
assay_test_without_simd(pixels Resize*:TorchResize*:TorchFloat*:OpenCvResize*:Preprocess*:CropWindow*)

# The pixels are compared with Pillow's byte for byte on real photographs, if both exist.
add_executable(pixel_tool image/pixel_tool.cpp)
target_link_libraries(pixel_tool PRIVATE assay_image)
set(ASSAY_PHOTOGRAPHS ${PROJECT_SOURCE_DIR}/../shared/data/imagenet_sample)
if(EXISTS /usr/lib/python3/dist-packages/PIL AND EXISTS ${ASSAY_PHOTOGRAPHS})
    assay_test_case(pillow_parity LABEL pixels COMMAND /usr/bin/python3
        ${CMAKE_CURRENT_SOURCE_DIR}/image/pillow_parity.py $<TARGET_FILE:pixel_tool> ${ASSAY_PHOTOGRAPHS} --every 25)
endif()
# Compares with PyTorch's resize and the image processors of transformers, in the Python of
# tools/torch-python.
if(EXISTS ${ASSAY_PHOTOGRAPHS})
    assay_test_case(torch_parity LABEL pixels COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/image/torch_parity.py
        $<TARGET_FILE:pixel_tool> ${ASSAY_PHOTOGRAPHS} --every 175 --assay $<TARGET_FILE:assay>)
    set_tests_properties(torch_parity PROPERTIES SKIP_RETURN_CODE 77)
endif()
# Compares with the inputs from the presets, configs and image processors of libraries.
if(EXISTS ${ASSAY_PHOTOGRAPHS})
    assay_test_case(rules_parity LABEL pixels COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/image/rules_parity.py
        $<TARGET_FILE:pixel_tool> $<TARGET_FILE:assay> ${ASSAY_PHOTOGRAPHS} --every 350 --few)
    set_tests_properties(rules_parity PROPERTIES SKIP_RETURN_CODE 77)
endif()
# Compares with OpenCV's resize, if a Python has OpenCV.
if(EXISTS ${ASSAY_PHOTOGRAPHS})
    assay_test_case(opencv_parity LABEL pixels COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/image/opencv_parity.py
        $<TARGET_FILE:pixel_tool> ${ASSAY_PHOTOGRAPHS} --every 175)
    set_tests_properties(opencv_parity PROPERTIES SKIP_RETURN_CODE 77)
endif()
