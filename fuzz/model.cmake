assay_fuzz(huggingface huggingface.cpp DICTIONARY settings LINKS assay_model)
assay_fuzz(model_sidecar model_sidecar.cpp DICTIONARY settings LINKS assay_model)
assay_fuzz(model_pt2 pt2.cpp DICTIONARY pt2 SEEDS tests/model/fixtures LINKS assay_pt2)

# The one file of the LibTorch plug-in that reads ONNX models, with LibTorch as it is.
find_package(Torch QUIET)
find_package(Protobuf QUIET)
find_library(ASSAY_ONNX_PROTO onnx_proto)
find_path(ASSAY_ONNX_INCLUDE onnx/onnx_pb.h)
if(Torch_FOUND AND Protobuf_FOUND AND ASSAY_ONNX_PROTO AND ASSAY_ONNX_INCLUDE)
    assay_fuzz(onnx onnx.cpp DICTIONARY onnx SEEDS tests/model/fixtures LINKS assay_core)
    target_sources(fuzz_onnx PRIVATE ${PROJECT_SOURCE_DIR}/src/model/torch/onnx_parse.cpp ${PROJECT_SOURCE_DIR}/src/model/graph_node.cpp)
    target_include_directories(fuzz_onnx PRIVATE $<TARGET_PROPERTY:assay_model,INTERFACE_INCLUDE_DIRECTORIES>)
    target_include_directories(fuzz_onnx SYSTEM PRIVATE ${TORCH_INCLUDE_DIRS} ${ASSAY_ONNX_INCLUDE} ${Protobuf_INCLUDE_DIRS})
    target_compile_definitions(fuzz_onnx PRIVATE ASSAY_HAS_ONNX=1 ONNX_ML=1 ONNX_NAMESPACE=onnx)
    # Clang 14 wants the whole of a class that LibTorch's headers hold vectors of before they declare it.
    target_compile_options(fuzz_onnx PRIVATE -include ATen/core/ivalue.h)
    target_link_libraries(fuzz_onnx PRIVATE fmt::fmt ${TORCH_LIBRARIES} ${ASSAY_ONNX_PROTO} ${Protobuf_LIBRARIES})
endif()
