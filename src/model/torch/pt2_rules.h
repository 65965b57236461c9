// Operators with a special meaning in evaluation: assertions, randomness, training mode.
#pragma once

#include <string>

#include "model/torch/pt2_call.h"

namespace assay::torch_plugin {

/// True if the call only checks sizes or values, and no step reads its result.
bool is_assertion(const std::string& target);

/// True if the result depends on the input's memory order, which exporters fix.
bool depends_on_strides(const std::string& qualified);

/// True if the call may return its input tensor although its schema does not say so.
bool may_return_its_input(const std::string& qualified);

/// The reason why the result of this call would be random; "" if it is not.
std::string randomness_in(const std::string& qualified, const Pt2Call& call);
/// The reason why images of a batch would affect each other's scores, if the call's input depends
/// on them; otherwise "".
std::string batch_dependence_of(const std::string& qualified, const Pt2Call& call);

}  // namespace assay::torch_plugin
