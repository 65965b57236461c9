// Operators with a special meaning in evaluation: assertions, randomness, training mode.
#pragma once

#include <string>

#include "model/torch/pt2_call.h"

namespace assay::torch_plugin {

/// Whether it only checks sizes or values, without a result that is read.
bool is_assertion(const std::string& target);

/// Whether its result depends on its input's memory order, which exporters fix.
bool depends_on_strides(const std::string& qualified);

/// Whether it may return its input tensor although its schema does not say so.
bool may_return_its_input(const std::string& qualified);

/// Why the result of this call would be random; "" if it is not.
std::string randomness_in(const std::string& qualified, const Pt2Call& call);
/// Why the call would make the images of a batch affect each other's scores, if its input depends
/// on them; "" if it would not.
std::string batch_dependence_of(const std::string& qualified, const Pt2Call& call);

}  // namespace assay::torch_plugin
