# Once as the processor can, once on the plain path: the same tests, so the same bits.
assay_test(pixels
    SOURCES image/decode_test.cpp image/encode_test.cpp image/resize_test.cpp image/preprocess_test.cpp
    LINKS assay_image Threads::Threads)
add_test(NAME pixels_without_simd COMMAND test_pixels --gtest_filter=Resize*:Preprocess*:CropWindow*)
set_tests_properties(pixels_without_simd PROPERTIES ENVIRONMENT ASSAY_SIMD=none LABELS pixels TIMEOUT 300)

# Byte for byte against Pillow on real photographs, where both are there.
add_executable(pixel_tool image/pixel_tool.cpp)
target_link_libraries(pixel_tool PRIVATE assay_image)
set(ASSAY_PHOTOGRAPHS ${PROJECT_SOURCE_DIR}/../shared/data/imagenet_sample)
if(EXISTS /usr/lib/python3/dist-packages/PIL AND EXISTS ${ASSAY_PHOTOGRAPHS})
    add_test(NAME pillow_parity COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/image/pillow_parity.py
        $<TARGET_FILE:pixel_tool> ${ASSAY_PHOTOGRAPHS} --every 25)
    set_tests_properties(pillow_parity PROPERTIES LABELS pixels TIMEOUT 300)
endif()
