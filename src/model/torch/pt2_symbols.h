// Arithmetic on sizes, which Python computed between calls, for models that were exported with open
// dimensions.
#pragma once

#include <ATen/core/ivalue.h>

#include <span>
#include <string_view>

namespace assay::torch_plugin {

/// Maps numbers and booleans (for sym_size also a tensor) to one number or boolean, as in Python.
/// Throws bad_input for overflow, division by zero, or an argument that is no number.
using SymbolFunction = c10::IValue (*)(std::span<const c10::IValue> arguments);

/// Finds a function by its name in the file ("_operator.mul", "torch.sym_max",
/// "torch.ops.aten.sym_size.int"); nullptr if there is none.
SymbolFunction find_symbol_function(std::string_view target);

}  // namespace assay::torch_plugin
