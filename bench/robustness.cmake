add_executable(bench_corruptions corruption_bench.cpp)
target_link_libraries(bench_corruptions PRIVATE assay_robustness benchmark::benchmark)

add_executable(bench_attacks attack_bench.cpp)
target_link_libraries(bench_attacks PRIVATE assay_robustness assay_model assay_core benchmark::benchmark)
target_compile_definitions(bench_attacks PRIVATE ASSAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
