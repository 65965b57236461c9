# assay::assay: the components as one library, static or shared (BUILD_SHARED_LIBS). Its interface is the public
# headers, C++20 and nlohmann_json; it has no flags of this tree. Programs and tests of this tree link the components.
# Hot components come first (see assay_hot_first).
get_property(objects GLOBAL PROPERTY ASSAY_HOT_OBJECTS)
get_property(others GLOBAL PROPERTY ASSAY_OTHER_OBJECTS)
list(APPEND objects ${others})
# The plug-in that `assay torch --build` compiles finds its functions here.
list(APPEND objects $<TARGET_OBJECTS:assay_pt2>)
add_library(assay_library ${objects})
add_library(assay::assay ALIAS assay_library)
set_target_properties(assay_library PROPERTIES
    OUTPUT_NAME assay EXPORT_NAME assay LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
target_compile_features(assay_library PUBLIC cxx_std_20)
target_include_directories(assay_library PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

# The other libraries that the components link.
get_property(ASSAY_EXTERNAL_LINKS GLOBAL PROPERTY ASSAY_EXTERNAL_LINKS)
list(REMOVE_DUPLICATES ASSAY_EXTERNAL_LINKS)
list(REMOVE_ITEM ASSAY_EXTERNAL_LINKS ${ASSAY_HEADER_ONLY})
target_link_libraries(assay_library
    PUBLIC nlohmann_json::nlohmann_json
    PRIVATE $<BUILD_INTERFACE:assay_flags> ${ASSAY_EXTERNAL_LINKS})
