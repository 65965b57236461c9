# tcmalloc must be linked first. It makes the program about twice as fast.
find_library(ASSAY_TCMALLOC_LIBRARY NAMES tcmalloc_minimal libtcmalloc_minimal.so.4)
add_executable(bench_model model_bench.cpp)
if(ASSAY_TCMALLOC AND ASSAY_TCMALLOC_LIBRARY)
    target_link_libraries(bench_model PRIVATE -Wl,--no-as-needed ${ASSAY_TCMALLOC_LIBRARY} -Wl,--as-needed)
endif()
target_link_libraries(bench_model PRIVATE assay_model benchmark::benchmark Threads::Threads)
target_compile_definitions(bench_model PRIVATE ASSAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
