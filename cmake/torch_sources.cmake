# share/assay/torch-plugin: what `assay torch --build` compiles (src/model/libtorch/build.cpp). Its sources with the headers that
# they see, and those of fmt and nlohmann/json, which a machine with a compiler and `pip install torch` has not.
include(${PROJECT_SOURCE_DIR}/src/model/torch/sources.cmake)
set(plugin_dir ${CMAKE_INSTALL_DATADIR}/assay/torch-plugin)
set(whole "// Made by cmake/torch_sources.cmake: the plug-in as one source, for parsing LibTorch's headers takes most of the time.\n")
foreach(source IN LISTS ASSAY_PLUGIN_SOURCES)
    string(APPEND whole "#include \"${source}\"\n")
endforeach()
string(APPEND whole "#ifdef ASSAY_HAS_ONNX\n")
foreach(source IN LISTS ASSAY_PLUGIN_ONNX_SOURCES)
    string(APPEND whole "#include \"${source}\"\n")
endforeach()
string(APPEND whole "#endif\n")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/torch_plugin.cpp CONTENT "${whole}" @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/torch_plugin.cpp DESTINATION ${plugin_dir} COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/src/model/loss.cpp DESTINATION ${plugin_dir}/src/model COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/model/torch DESTINATION ${plugin_dir}/src/model COMPONENT program
    FILES_MATCHING PATTERN "*.cpp")
foreach(folder core model)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/${folder} DESTINATION ${plugin_dir}/src COMPONENT program
        FILES_MATCHING PATTERN "*.h" PATTERN "isolated" EXCLUDE PATTERN "libtorch" EXCLUDE)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/assay DESTINATION ${plugin_dir}/include COMPONENT program FILES_MATCHING PATTERN "*.h")
find_path(ASSAY_FMT_INCLUDE fmt/format.h REQUIRED)
find_path(ASSAY_JSON_INCLUDE nlohmann/json_fwd.hpp REQUIRED)
install(DIRECTORY ${ASSAY_FMT_INCLUDE}/fmt DESTINATION ${plugin_dir}/third-party COMPONENT program)
install(FILES ${ASSAY_JSON_INCLUDE}/nlohmann/json_fwd.hpp DESTINATION ${plugin_dir}/third-party/nlohmann COMPONENT program)
install(FILES ${ASSAY_JSON_INCLUDE}/nlohmann/detail/abi_macros.hpp DESTINATION ${plugin_dir}/third-party/nlohmann/detail
    COMPONENT program OPTIONAL)
