add_executable(mad_bench mad_bench.cpp)
target_link_libraries(mad_bench PRIVATE assay_mad benchmark::benchmark benchmark::benchmark_main)
add_executable(bench_make_competition make_competition.cpp)
target_link_libraries(bench_make_competition PRIVATE assay_mad fmt::fmt)
