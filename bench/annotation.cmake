# One EM pass of Dawid-Skene, and reading the votes. dawid_skene.py measures the same pass in NumPy.
if(TARGET assay_annotation)
    add_executable(bench_label label_bench.cpp)
    target_link_libraries(bench_label PRIVATE assay_annotation benchmark::benchmark)
    target_compile_definitions(bench_label PRIVATE ASSAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endif()
# The coverage of the intervals of metrics by votes.
if(TARGET assay_annotation)
    add_executable(bench_vote_coverage vote_coverage.cpp)
    target_include_directories(bench_vote_coverage PRIVATE ${PROJECT_SOURCE_DIR}/tests/annotation)
    target_link_libraries(bench_vote_coverage PRIVATE assay_annotation fmt::fmt)
endif()
