# cpack runs this on files before packing: what the distribution requires (compressed pages and changelogs, plug-ins without
# unneeded symbols), with the same times in every build.
file(GLOB_RECURSE texts ${CPACK_TEMPORARY_DIRECTORY}/*/changelog.Debian ${CPACK_TEMPORARY_DIRECTORY}/*.1)
list(FILTER texts EXCLUDE REGEX "\\.so\\.")  # the name is libassay.so.0.1
if(texts)
    execute_process(COMMAND gzip -9nf ${texts} COMMAND_ERROR_IS_FATAL ANY)
endif()
file(GLOB_RECURSE plugins ${CPACK_TEMPORARY_DIRECTORY}/*/libassay_*.so)
if(plugins)
    execute_process(COMMAND strip --strip-unneeded --remove-section=.comment ${plugins} COMMAND_ERROR_IS_FATAL ANY)
endif()
if(DEFINED ENV{SOURCE_DATE_EPOCH})
    execute_process(COMMAND find ${CPACK_TEMPORARY_DIRECTORY} -exec touch --no-dereference --date=@$ENV{SOURCE_DATE_EPOCH} {} +
        COMMAND_ERROR_IS_FATAL ANY)
endif()
