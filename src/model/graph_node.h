// Nodes of a file's graph in any format (ONNX, torch.export) for messages, and the collection of
// unsupported operators among them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace assay {

struct GraphNode {
    std::string name;  ///< the node's name, or its first output's if it has none
    std::string op;    ///< the file's name for it: "Conv" or "torch.ops.aten.conv2d.default"

    /// Describes it: "node `conv1` (Conv)".
    std::string place() const;
};

/// Collects the missing operators, so that the error names all of them.
class MissingOperators {
public:
    /// `why` gives the reason, or "".
    void add(const std::string& op, const GraphNode& node, std::string why = "");
    /// Throws bad_input if operators are missing. `whose` is the library that lacks them ("LibTorch
    /// 1.13.1"); `advice` says what to do.
    void refuse(std::string_view whose, std::string_view advice = "") const;

private:
    struct Use {
        std::size_t nodes = 0;
        std::string first, why;
    };
    std::map<std::string, Use> uses_;
};

}  // namespace assay
