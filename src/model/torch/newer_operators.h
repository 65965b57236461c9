// Operators that newer releases of PyTorch write into TorchScript files and an older LibTorch does
// not have.
#pragma once

#include <torch/csrc/jit/runtime/operator.h>

#include <span>
#include <string>
#include <string_view>

namespace assay::torch_plugin {

struct NewerOperator {
    const char*
        schema;  ///< PyTorch's, with an overload name of its own where an older one is taken
    void (*run)(torch::jit::Stack& stack);
};
/// Of int8 programs (decomposed_quantisation.cpp); no LibTorch has them.
std::span<const NewerOperator> decomposed_quantisation();

/// Gives LibTorch those of the table's operators that it lacks; those that it has stay as they are.
/// Called once, before the first file is read.
void define_newer_operators();

/// What is known of an operator that LibTorch does not know ("aten::_safe_softmax"): which LibTorch
/// has it.
std::string where_operator_is(std::string_view name);

}  // namespace assay::torch_plugin
