# Packages of a distribution, one for each COMPONENT of cmake/install.cmake; `cpack` makes them, and tools/package calls it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME assay)
set(CPACK_PACKAGE_CONTACT "Assay developers <assay@noreply.example.org>")
# This is CPack's default, which it does not repeat before the synopsis of each package.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_NAME} built using CMake")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_files.cmake)
set(ASSAY_DEB_VERSION ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
string(TIMESTAMP ASSAY_SOURCE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)  # the time is SOURCE_DATE_EPOCH if it is set
configure_file(packaging/deb/changelog.in ${PROJECT_BINARY_DIR}/changelog @ONLY)

# assay_package(COMPONENT NAME description): the description's first line is the synopsis.
set(CPACK_COMPONENTS_ALL "")
function(assay_package component name description)
    cmake_parse_arguments(P "" "" "DEPENDS;RECOMMENDS;SUGGESTS;SECTION;ARCHITECTURE" ${ARGN})
    string(TOUPPER ${component} upper)
    string(JOIN ", " depends ${P_DEPENDS})
    string(JOIN ", " recommends ${P_RECOMMENDS})
    string(JOIN ", " suggests ${P_SUGGESTS})
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_DESCRIPTION "${description}" PARENT_SCOPE)
    set(CPACK_COMPONENT_${upper}_DESCRIPTION "${description}" PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_PACKAGE_RECOMMENDS "${recommends}" PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_PACKAGE_SUGGESTS "${suggests}" PARENT_SCOPE)
    if(P_SECTION)
        set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${P_SECTION} PARENT_SCOPE)
    endif()
    if(P_ARCHITECTURE)
        set(CPACK_DEBIAN_${upper}_PACKAGE_ARCHITECTURE ${P_ARCHITECTURE} PARENT_SCOPE)
        set(CPACK_DEBIAN_${upper}_PACKAGE_SHLIBDEPS OFF PARENT_SCOPE)
    endif()
    install(FILES ${PROJECT_SOURCE_DIR}/packaging/deb/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name}
        COMPONENT ${component} EXCLUDE_FROM_ALL)
    install(FILES ${PROJECT_BINARY_DIR}/changelog DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} RENAME changelog.Debian
        COMPONENT ${component} EXCLUDE_FROM_ALL)
    set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
endfunction()

set(same "(= ${ASSAY_DEB_VERSION})")
set(library libassay${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(about "Assay runs image classifiers once, stores every score, and computes
metrics of accuracy, calibration and robustness from them, each with its
confidence interval and the name of its exact definition.")
# The plug-in of `assay torch --build` calls the library. libcurl and a font are used if they are installed.
assay_package(program assay "evaluates image classifiers, with an interval on every number\n${about}"
    DEPENDS "${library} ${same}" RECOMMENDS "assay-torch ${same}" libcurl4 fonts-dejavu-core
    SUGGESTS "assay-mpi ${same}" "python3-assay ${same}" g++)
assay_package(library ${library} "evaluation of image classifiers: the shared library\n${about}
.
This is the library, for programs in C and C++." SECTION libs)
assay_package(dev libassay-dev "evaluation of image classifiers: headers for C and C++\n${about}
.
These are the headers, with what CMake and pkg-config read, and an
example in C."
    DEPENDS "${library} ${same}" nlohmann-json3-dev SECTION libdevel)
assay_package(python python3-assay "evaluation of image classifiers: Python package\n${about}
.
This is the package for Python; it calls the same library."
    DEPENDS "${library} ${same}" "assay ${same}" python3 python3-numpy SECTION python ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/deb/python/postinst
    ${PROJECT_SOURCE_DIR}/packaging/deb/python/prerm)
if(TARGET assay_torch)
    assay_package(torch assay-torch "evaluation of image classifiers: runs models by LibTorch\n${about}
.
This runs TorchScript, torch.export and ONNX models by the distribution's
LibTorch." DEPENDS "assay ${same}")
endif()
if(mpi_plugins)
    assay_package(mpi assay-mpi "evaluation of image classifiers: ranks of MPI\n${about}
.
This lets processes that mpirun or srun started work together." DEPENDS "assay ${same}")
endif()
# Programs that are linked with it depend on this version: before 1.0 the C++ interface may change with each minor version.
file(WRITE ${PROJECT_BINARY_DIR}/shlibs "libassay ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} ${library} ${same}\n")
file(WRITE ${PROJECT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/shlibs ${PROJECT_BINARY_DIR}/triggers)
include(CPack)
