// Arithmetic on sizes: what Python computed between calls when a model was exported with open
// dimensions.
#pragma once

#include <ATen/core/ivalue.h>

#include <span>
#include <string_view>

namespace assay::torch_plugin {

/// Numbers and truth values (of sym_size also a tensor) to one number or truth value, as Python
/// computes. Throws bad_input: overflow, division by zero, something that is no number.
using SymbolFunction = c10::IValue (*)(std::span<const c10::IValue> arguments);

/// By the file's name for it ("_operator.mul", "torch.sym_max", "torch.ops.aten.sym_size.int");
/// nullptr when there is none.
SymbolFunction find_symbol_function(std::string_view target);

}  // namespace assay::torch_plugin
