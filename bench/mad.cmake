add_executable(mad_bench mad_bench.cpp)
target_link_libraries(mad_bench PRIVATE assay_mad benchmark::benchmark benchmark::benchmark_main)
