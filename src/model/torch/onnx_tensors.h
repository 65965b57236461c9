// Converts the tensors of an ONNX file from protobuf to ATen. Their bytes are in the file or in
// other files next to it. Only the parser (onnx_parse.cpp) needs this.
#pragma once

#include <ATen/core/Tensor.h>
#include <onnx/onnx_pb.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace assay::torch_plugin {

inline constexpr int kUint4 = 21, kInt4 = 22;  ///< TensorProto.DataType of ONNX 1.16

/// The files next to a model with its tensors. A name may be a link, and then its target counts: it
/// must be in the model's folder or a folder below. If the model itself is a link, the folder of
/// its target is also allowed. Hubs need this, because they store a model as links into a folder of
/// contents.
class DataFiles {
public:
    explicit DataFiles(const std::filesystem::path& model);

    /// The path of a tensor's data file, which is recorded as used. Throws bad_input if it is
    /// missing or outside the model's folder.
    std::filesystem::path use(const std::string& tensor, const std::filesystem::path& location);
    /// Sorted.
    std::vector<std::filesystem::path> used() const { return {used_.begin(), used_.end()}; }

private:
    std::filesystem::path folder_;
    std::vector<std::filesystem::path> allowed_;  ///< folders without links in their paths
    std::set<std::filesystem::path> used_;
};

/// Converts half precision to single. Throws bad_input if sizes and bytes do not match, and for
/// unsupported types.
at::Tensor decode_tensor(const onnx::TensorProto& proto, DataFiles& data);

/// The nodes of a graph, each after the nodes whose results it reads (onnx_order.cpp).
std::vector<const onnx::NodeProto*> nodes_in_order(const onnx::GraphProto& graph);

}  // namespace assay::torch_plugin
