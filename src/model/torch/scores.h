// Finds the part of a model's output that has its scores.
#pragma once

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <string>

namespace assay::torch_plugin {

struct Scores {
    at::Tensor tensor;
    std::string note;  ///< set if a part was chosen among several possible ones
};

/// The scores in forward()'s result (a tensor, tuple, list or dict), by ModelSpec::output. Throws
/// bad_input without a tensor or the specified part, and for several tensors without `output`.
Scores scores_in(const c10::IValue& value, const std::string& output);

/// n x C floats, or an error that describes the actual result. Also accepts n x C x 1 x 1 (a
/// convolution as the last layer). Also accepts one score per image as n numbers, which for one
/// image may be a single number.
at::Tensor as_rows(at::Tensor scores, std::int64_t n);

}  // namespace assay::torch_plugin
