# The library with its public headers, CMake package and assay.pc; the plug-ins and the program that runs models; the command
# with its completion and its manual. Everything is found by relative paths, so an installed folder may be moved.
# Each part is a COMPONENT, which is a package of a distribution (cmake/package.cmake).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/assay)
set(ASSAY_PLUGIN_INSTALL_DIR ${CMAKE_INSTALL_LIBDIR}/assay)

install(TARGETS assay_library EXPORT assayTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT dev
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/assay DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
    FILES_MATCHING PATTERN "*.h")
install(EXPORT assayTargets NAMESPACE assay:: DESTINATION ${package_dir} COMPONENT dev)
install(FILES ${PROJECT_SOURCE_DIR}/tests/c/example.c DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libassay-dev/examples COMPONENT dev)
get_property(mpi_plugins GLOBAL PROPERTY ASSAY_MPI_PLUGINS)
install(FILES ${mpi_plugins} DESTINATION ${ASSAY_PLUGIN_INSTALL_DIR} COMPONENT mpi)
install(FILES ${PROJECT_SOURCE_DIR}/src/collective/mpi/assay_mpi.c ${PROJECT_SOURCE_DIR}/src/collective/mpi/assay_mpi.h
    DESTINATION ${CMAKE_INSTALL_DATADIR}/assay/mpi COMPONENT program)
if(TARGET assay_torch)
    install(TARGETS assay_torch LIBRARY DESTINATION ${ASSAY_PLUGIN_INSTALL_DIR} COMPONENT torch)
    if(ASSAY_TORCH_RECORD)
        install(FILES ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libassay_torch.json DESTINATION ${ASSAY_PLUGIN_INSTALL_DIR} COMPONENT torch)
    endif()
endif()
if(TARGET assay_model_process)
    install(TARGETS assay_model_process RUNTIME DESTINATION ${ASSAY_PLUGIN_INSTALL_DIR} COMPONENT program)
    include(${PROJECT_SOURCE_DIR}/cmake/torch_sources.cmake)
endif()
if(TARGET assay)
    install(TARGETS assay RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
    # The folders where bash-completion, zsh and fish search for completions, and man for pages.
    set(shells ${PROJECT_SOURCE_DIR}/src/cli/shells)
    install(FILES ${shells}/assay.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME assay COMPONENT program)
    install(FILES ${shells}/_assay DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
    install(FILES ${shells}/assay.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program OPTIONAL)
endif()
# The folder where the Python of that prefix searches for packages. Otherwise pip installs the package (python/assay_build.py).
if(NOT ASSAY_PYTHON_DIR)
    set(ASSAY_PYTHON_DIR lib/python3/dist-packages)
    execute_process(COMMAND python3 -c "import sys; print(';'.join(sys.path))" OUTPUT_VARIABLE python_path ERROR_QUIET
        OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE ignored)
    foreach(folder IN LISTS python_path)
        if(folder MATCHES "^${CMAKE_INSTALL_PREFIX}/(lib/python[^/]*/(dist|site)-packages)$")
            set(ASSAY_PYTHON_DIR ${CMAKE_MATCH_1})
            break()
        endif()
    endforeach()
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/assay DESTINATION ${ASSAY_PYTHON_DIR} COMPONENT python
    FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)

get_target_property(kind assay_library TYPE)
set(ASSAY_STATIC OFF)
set(ASSAY_PC_REQUIRES nlohmann_json)
set(ASSAY_PC_LIBS "-L\${libdir} -lassay")
if(kind STREQUAL STATIC_LIBRARY)
    set(ASSAY_STATIC ON)
    string(APPEND ASSAY_PC_REQUIRES " fmt libjpeg libpng libtiff-4 zlib pugixml libwebp libwebpdemux libxxhash libbrotlidec snappy libzstd sqlite3 libmicrohttpd")
    if(ASSAY_CAIRO)
        string(APPEND ASSAY_PC_REQUIRES " cairo")
    endif()
    string(APPEND ASSAY_PC_LIBS " -lstdc++ -lm -ldl -pthread")
    install(FILES cmake/link-dependencies.cmake DESTINATION ${package_dir} COMPONENT dev)
endif()
configure_package_config_file(cmake/assayConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/assayConfig.cmake
    INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0, each minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/assayConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/assayConfig.cmake ${PROJECT_BINARY_DIR}/cmake/assayConfigVersion.cmake
    DESTINATION ${package_dir} COMPONENT dev)

file(RELATIVE_PATH ASSAY_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/assay.pc.in ${PROJECT_BINARY_DIR}/cmake/assay.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/assay.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
