// Nodes of a file's graph in any format (ONNX, torch.export), as messages name them, and the
// operators among them that nothing here can run.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace assay {

struct GraphNode {
    std::string name;  ///< the node's, or its first output's when it has none
    std::string op;    ///< as the file has it: "Conv", "torch.ops.aten.conv2d.default"

    /// "node `conv1` (Conv)".
    std::string place() const;
};

/// All of them are named, not only the first.
class MissingOperators {
public:
    /// `why`: what is known of the operator; "": nothing.
    void add(const std::string& op, const GraphNode& node, std::string why = "");
    /// Throws bad_input where there are some. `whose`: who has none of them ("LibTorch 1.13.1");
    /// `advice`: what to do about it.
    void refuse(std::string_view whose, std::string_view advice = "") const;

private:
    struct Use {
        std::size_t nodes = 0;
        std::string first, why;
    };
    std::map<std::string, Use> uses_;
};

}  // namespace assay
