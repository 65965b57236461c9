# A folder without a repository of its own, as an unpacked archive is, has no commit: the commit of
# a repository around it is not its commit. Run with -P.
execute_process(COMMAND ${CMAKE_COMMAND} -DSOURCE=${ROOT}/src -DOUTPUT=${OUTPUT} -P ${ROOT}/cmake/commit.cmake RESULT_VARIABLE status)
file(READ ${OUTPUT} text)
if(NOT status EQUAL 0 OR NOT text STREQUAL "\"\"\n")
    message(FATAL_ERROR "status ${status}, commit ${text}")
endif()
