// Operators that newer releases of PyTorch write into TorchScript files and an older LibTorch does
// not have.
#pragma once

#include <string>
#include <string_view>

namespace assay::torch_plugin {

/// Gives LibTorch those of the table's operators that it lacks; those that it has stay as they are.
/// Called once, before the first file is read.
void define_newer_operators();

/// What is known of an operator that LibTorch does not know ("aten::_safe_softmax"): which LibTorch
/// has it.
std::string where_operator_is(std::string_view name);

}  // namespace assay::torch_plugin
