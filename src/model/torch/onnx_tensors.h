// The tensors of an ONNX file, from protobuf to ATen: their bytes lie in the file or in others
// beside it. Only the parser (onnx_parse.cpp) needs it.
#pragma once

#include <ATen/core/Tensor.h>
#include <onnx/onnx_pb.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace assay::torch_plugin {

inline constexpr int kUint4 = 21, kInt4 = 22;  ///< TensorProto.DataType of ONNX 1.16

/// The files beside a model that hold its tensors. A name may be a link, which is judged by where
/// it leads: into the model's folder or a folder in it. If the model is a link itself, the folder
/// that it leads to is one of these, too: hubs keep a model as links into one folder of contents.
class DataFiles {
public:
    explicit DataFiles(const std::filesystem::path& model);

    /// The path of a tensor's data file, which counts as used. Throws bad_input: missing, or not in
    /// the model's folder.
    std::filesystem::path use(const std::string& tensor, const std::filesystem::path& location);
    /// Sorted.
    std::vector<std::filesystem::path> used() const { return {used_.begin(), used_.end()}; }

private:
    std::filesystem::path folder_;
    std::vector<std::filesystem::path> allowed_;  ///< folders without links in their paths
    std::set<std::filesystem::path> used_;
};

/// Half precision comes as single. Throws bad_input: sizes and bytes that do not fit, types that
/// are not supported.
at::Tensor decode_tensor(const onnx::TensorProto& proto, DataFiles& data);

/// The nodes of a graph, each after those whose results it reads (onnx_order.cpp).
std::vector<const onnx::NodeProto*> nodes_in_order(const onnx::GraphProto& graph);

}  // namespace assay::torch_plugin
