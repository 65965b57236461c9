# The replication estimators: what they cost, and what they are worth (see the file).
if(TARGET assay_replication)
    add_executable(bench_replicate replicate_bench.cpp)
    target_link_libraries(bench_replicate PRIVATE assay_replication benchmark::benchmark)
    add_executable(bench_replicate_quality replicate_quality.cpp)
    target_include_directories(bench_replicate_quality PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(bench_replicate_quality PRIVATE assay_replication fmt::fmt)
endif()
