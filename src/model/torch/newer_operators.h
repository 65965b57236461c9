// Operators that newer PyTorch releases write into TorchScript files and that an older LibTorch
// lacks.
#pragma once

#include <torch/csrc/jit/runtime/operator.h>

#include <span>
#include <string>
#include <string_view>

namespace assay::torch_plugin {

struct NewerOperator {
    const char* schema;  ///< PyTorch's schema, with another overload name if an older one uses it
    void (*run)(torch::jit::Stack& stack);
};
/// The operators of int8 programs (decomposed_quantisation.cpp), which no LibTorch has.
std::span<const NewerOperator> decomposed_quantisation();

/// Defines the table's operators that LibTorch lacks, and does not change the others. Call this
/// once, before the first file is read.
void define_newer_operators();

/// The LibTorch version that has an operator which this one lacks ("aten::_safe_softmax").
std::string where_operator_is(std::string_view name);

}  // namespace assay::torch_plugin
