assay_test(collective
    SOURCES collective/comm_test.cpp
    LINKS assay_collective assay_core Threads::Threads)
add_executable(mpi_checks collective/mpi_checks.cpp)
target_link_libraries(mpi_checks PRIVATE assay_collective assay_core fmt::fmt)
assay_quick(mpi_checks)
add_dependencies(mpi_checks assay_mpi_plugins)
assay_test_case(mpi LABEL collective COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/collective/mpi.sh $<TARGET_FILE:mpi_checks>)
set_tests_properties(mpi PROPERTIES SKIP_RETURN_CODE 77)
