add_executable(bench_pixels pixels.cpp)
target_link_libraries(bench_pixels PRIVATE assay_data benchmark::benchmark)
target_compile_definitions(bench_pixels PRIVATE ASSAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
