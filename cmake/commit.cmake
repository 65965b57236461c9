# Writes the commit of SOURCE to OUTPUT as a C string literal. An OUTPUT with these contents is not written again, so nothing is
# rebuilt. Every build runs this with -P.
set(text "")
set(status "")
# If the folder has no repository, git would use a repository around an unpacked archive.
if(EXISTS ${SOURCE}/.git)
    execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
        OUTPUT_VARIABLE commit RESULT_VARIABLE status ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(status EQUAL 0)
    set(text ${commit})
    execute_process(COMMAND git -C ${SOURCE} diff --quiet HEAD RESULT_VARIABLE changed ERROR_QUIET)
    if(NOT changed EQUAL 0)
        string(APPEND text "+")
    endif()
endif()
set(line "\"${text}\"\n")
set(there "")
if(EXISTS ${OUTPUT})
    file(READ ${OUTPUT} there)
endif()
if(NOT there STREQUAL line)
    file(WRITE ${OUTPUT} ${line})
endif()
