assay_test(sets
    SOURCES data/class_list_test.cpp data/class_maps_test.cpp data/dataset_test.cpp data/items_csv_test.cpp data/label_sets_test.cpp
    LINKS assay_data)

# Once as the processor can, once on the plain path: the same tests, so the same bits.
assay_test(pixels
    SOURCES data/decode_test.cpp data/encode_test.cpp data/resize_test.cpp data/preprocess_test.cpp
    LINKS assay_data Threads::Threads)
add_test(NAME pixels_without_simd COMMAND test_pixels --gtest_filter=Resize*:Preprocess*:CropWindow*)
set_tests_properties(pixels_without_simd PROPERTIES ENVIRONMENT ASSAY_SIMD=none LABELS pixels TIMEOUT 300)

# Byte for byte against Pillow on real photographs, where both are there.
add_executable(pixel_tool data/pixel_tool.cpp)
target_link_libraries(pixel_tool PRIVATE assay_data)
set(ASSAY_PHOTOGRAPHS ${CMAKE_SOURCE_DIR}/../shared/data/imagenet_sample)
if(EXISTS /usr/lib/python3/dist-packages/PIL AND EXISTS ${ASSAY_PHOTOGRAPHS})
    add_test(NAME pillow_parity COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/data/pillow_parity.py
        $<TARGET_FILE:pixel_tool> ${ASSAY_PHOTOGRAPHS} --every 25)
    set_tests_properties(pillow_parity PROPERTIES LABELS pixels TIMEOUT 300)
endif()
