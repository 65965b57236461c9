assay_test(c
    SOURCES c/c_test.cpp c/arrow_test.cpp
    LINKS assay_c assay_evaluate assay_store Threads::Threads)
# A C source checks that the header is valid C, and shows a C program.
add_executable(c_example c/example.c)
set_target_properties(c_example PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF)
target_compile_options(c_example PRIVATE -Wall -Wextra -Wpedantic -Werror)
target_link_libraries(c_example PRIVATE assay_c)
assay_test_case(c_example LABEL c COMMAND c_example)
