add_executable(bench_store store_bench.cpp)
target_link_libraries(bench_store PRIVATE assay_store fmt::fmt benchmark::benchmark)
