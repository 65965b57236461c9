// The preprocessings that are tried if none is given.
#pragma once

#include <vector>

#include "assay/evaluate/eval.h"

namespace assay::evaluate {

/// Images of data sets with sides up to this are used whole, and have models of their size.
constexpr int tiny_side = 96;

/// Every preset, without repeats; with `side`, at this input size: without a crop up to tiny_side,
/// and above that without presets that scale to fewer pixels.
std::vector<PreprocessingWay> usual_ways(const ModelOpener& opener, int side = 0);
/// A model that the opener opens at one of the usual sizes, and the sizes to try with it. If it
/// opens at none, the opener's error for the first size.
struct OpenedAtSomeSize {
    LoadedModel model;
    std::vector<PreprocessingWay> ways;
};
OpenedAtSomeSize open_with_ways(const ModelOpener& opener);

}  // namespace assay::evaluate
