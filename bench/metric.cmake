# Scores for the benchmarks, and what computing the metrics costs (see score.py).
if(TARGET assay_evaluate)
    add_executable(bench_make_store make_store.cpp)
    target_link_libraries(bench_make_store PRIVATE assay_store fmt::fmt)
    add_executable(bench_score score_bench.cpp)
    target_link_libraries(bench_score PRIVATE assay_evaluate benchmark::benchmark)
    add_executable(bench_multilabel multilabel_bench.cpp)
    target_link_libraries(bench_multilabel PRIVATE assay_evaluate benchmark::benchmark)
endif()
