// What certain operators mean for an evaluation: checks that compute nothing, randomness, training
// mode.
#pragma once

#include <string>

#include "model/torch/pt2_call.h"

namespace assay::torch_plugin {

/// A check of sizes or values, without a result that anybody reads.
bool is_assertion(const std::string& target);

/// Its result depends on the memory order of its input, which exporters fix.
bool depends_on_strides(const std::string& qualified);

/// May return the tensor that it was given, though its schema does not say so.
bool may_return_its_input(const std::string& qualified);

/// Why the result of this call would be random; "" when it is not.
std::string randomness_in(const std::string& qualified, const Pt2Call& call);
/// Why the call would let the images of a batch change each other's scores, when its input depends
/// on them; "" when it would not.
std::string batch_dependence_of(const std::string& qualified, const Pt2Call& call);

}  // namespace assay::torch_plugin
