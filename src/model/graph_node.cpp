#include "model/graph_node.h"

#include <fmt/format.h>

#include "core/refuse.h"
#include "core/text.h"

namespace assay {

std::string GraphNode::place() const {
    return fmt::format("node `{}` ({})", shortened(name), shortened(op, 100));
}

void MissingOperators::add(const std::string& op, const GraphNode& node, std::string why) {
    Use& use = uses_[op];
    if (use.nodes++ > 0) return;
    use.first = node.name;
    use.why = std::move(why);
}

void MissingOperators::refuse(std::string_view whose, std::string_view advice) const {
    if (uses_.empty()) return;
    std::string list;
    for (const auto& [op, use] : uses_) {
        list += fmt::format("{}{} ({} node{}, first `{}`{}{})", list.empty() ? "" : ", ",
                            shortened(op, 100), use.nodes, use.nodes == 1 ? "" : "s",
                            shortened(use.first), use.why.empty() ? "" : ": ", use.why);
    }
    assay::refuse(fmt::format("the model calls operators that {} does not have: {}{}{}", whose,
                              list, advice.empty() ? "" : "; ", advice));
}

}  // namespace assay
