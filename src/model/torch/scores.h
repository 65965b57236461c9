// Which part of what a model returns holds its scores.
#pragma once

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <string>

namespace assay::torch_plugin {

struct Scores {
    at::Tensor tensor;
    std::string note;  ///< when a part was chosen that others could have been
};

/// The scores in what forward() returned (a tensor, tuple, list or dict), by ModelSpec::output.
/// Throws bad_input: no tensor, several without `output`, no such part.
Scores scores_in(const c10::IValue& value, const std::string& output);

/// n x C floats, or an error that says what came instead. n x C x 1 x 1 (a convolution as the last
/// layer) is taken too, and one score per image as n numbers: of one image that may be no list.
at::Tensor as_rows(at::Tensor scores, std::int64_t n);

}  // namespace assay::torch_plugin
