// The preprocessings that are tried if none is given.
#pragma once

#include <vector>

#include "assay/evaluate/eval.h"

namespace assay::evaluate {

/// Images with sides up to this are not cropped, and have models of their size.
constexpr int tiny_side = 96;

/// All distinct presets. With `side`, they are for this input size: up to tiny_side without a crop,
/// and above that without presets that scale to fewer pixels.
std::vector<PreprocessingWay> usual_ways(const ModelOpener& opener, int side = 0);
/// The model at the first usual size at which it opens, and the sizes to try with it. If there is
/// none, the opener's error for the first size.
struct OpenedAtSomeSize {
    LoadedModel model;
    std::vector<PreprocessingWay> ways;
};
OpenedAtSomeSize open_with_ways(const ModelOpener& opener);

}  // namespace assay::evaluate
