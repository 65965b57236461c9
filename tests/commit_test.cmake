# A folder without its own repository, such as an unpacked archive, has no commit. The commit of
# a repository around it does not count. Run with -P.
execute_process(COMMAND ${CMAKE_COMMAND} -DSOURCE=${ROOT}/src -DOUTPUT=${OUTPUT} -P ${ROOT}/cmake/commit.cmake RESULT_VARIABLE status)
file(READ ${OUTPUT} text)
if(NOT status EQUAL 0 OR NOT text STREQUAL "\"\"\n")
    message(FATAL_ERROR "status ${status}, commit ${text}")
endif()
