#include "model/torch/convolution_flags.h"

#include <ATen/Context.h>
#include <torch/csrc/jit/ir/constants.h>

#include <optional>
#include <string>

namespace assay::torch_plugin {
namespace {

std::optional<bool> own_flag(const std::string& name) {
    const at::Context& context = at::globalContext();
    if (name == "benchmark") return context.benchmarkCuDNN();
    if (name == "deterministic")
        return context.deterministicCuDNN() || context.deterministicAlgorithms();
    if (name == "cudnn_enabled") return context.userEnabledCuDNN();
    if (name == "allow_tf32") return context.allowTF32CuDNN();
    return std::nullopt;
}

void take_flags(torch::jit::Node* node, const c10::FunctionSchema& schema) {
    for (std::size_t i = 0; i < node->inputs().size() && i < schema.arguments().size(); ++i) {
        const auto flag = own_flag(schema.arguments()[i].name());
        if (!flag) continue;
        torch::jit::WithInsertPoint guard(node);
        node->replaceInput(i, node->owningGraph()->insertConstant(*flag));
    }
}

}  // namespace

void take_own_convolution_flags(torch::jit::Block* block) {
    for (torch::jit::Node* node : block->nodes()) {
        for (torch::jit::Block* inner : node->blocks()) take_own_convolution_flags(inner);
        if (node->kind() != c10::Symbol::fromQualString("aten::_convolution")) continue;
        if (const auto* schema = node->maybeSchema()) take_flags(node, *schema);
    }
}

}  // namespace assay::torch_plugin
