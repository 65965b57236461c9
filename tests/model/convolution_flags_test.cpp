// Flags of cuDNN in a trace are replaced by the flags of this process.
#include <gtest/gtest.h>

#include <ATen/Context.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/irparser.h>

#include "model/torch/convolution_flags.h"

namespace assay::torch_plugin {
namespace {

/// The flags are benchmark, deterministic, cudnn_enabled and allow_tf32. A trace with PyTorch's
/// defaults has 0, 0, 1, 1.
std::vector<bool> flags_of(torch::jit::Graph& graph) {
    std::vector<bool> flags;
    for (torch::jit::Node* node : graph.nodes()) {
        if (node->kind() != c10::Symbol::fromQualString("aten::_convolution")) continue;
        for (std::size_t i = 9; i < node->inputs().size(); ++i)
            flags.push_back(torch::jit::toIValue(node->input(i))->toBool());
    }
    return flags;
}

TEST(ConvolutionFlags, AreThoseOfTheProcess) {
    const auto graph = std::make_shared<torch::jit::Graph>();
    torch::jit::parseIR(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor?):
  %one : int = prim::Constant[value=1]()
  %no : bool = prim::Constant[value=0]()
  %yes : bool = prim::Constant[value=1]()
  %ones : int[] = prim::ListConstruct(%one, %one)
  %y : Tensor = aten::_convolution(%x, %w, %b, %ones, %ones, %ones, %no, %ones, %one, %yes, %no, %yes, %yes)
  return (%y))IR",
                        graph.get());
    ASSERT_EQ(flags_of(*graph), (std::vector<bool>{true, false, true, true}));
    at::Context& context = at::globalContext();
    const bool before = context.allowTF32CuDNN();
    context.setAllowTF32CuDNN(false);
    context.setDeterministicCuDNN(true);
    context.setBenchmarkCuDNN(false);
    take_own_convolution_flags(graph->block());
    EXPECT_EQ(flags_of(*graph), (std::vector<bool>{false, true, true, false}));
    context.setAllowTF32CuDNN(true);
    take_own_convolution_flags(graph->block());
    EXPECT_EQ(flags_of(*graph), (std::vector<bool>{false, true, true, true}));
    context.setAllowTF32CuDNN(before);
    // The flag for a transposed convolution has the same type, and must not change.
    for (torch::jit::Node* node : graph->nodes()) {
        if (node->kind() == c10::Symbol::fromQualString("aten::_convolution")) {
            EXPECT_FALSE(torch::jit::toIValue(node->input(6))->toBool());
        }
    }
}

}  // namespace
}  // namespace assay::torch_plugin
