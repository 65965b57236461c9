// The ways to prepare an input that are tried where nothing says how.
#pragma once

#include <vector>

#include "assay/evaluate/eval.h"

namespace assay::evaluate {

/// Images of data sets with sides up to this are taken whole, and have models of their size.
constexpr int tiny_side = 96;

/// Every preset, each way once; with `side`, at this input size: without a crop up to tiny_side,
/// and above that without presets that scale to fewer pixels.
std::vector<PreprocessingWay> usual_ways(const ModelOpener& opener, int side = 0);
/// A model that the opener opens at one of the usual sizes, and the ways at sizes to try on it. The
/// opener's error at the first size where it opens at none.
struct OpenedAtSomeSize {
    LoadedModel model;
    std::vector<PreprocessingWay> ways;
};
OpenedAtSomeSize open_with_ways(const ModelOpener& opener);

}  // namespace assay::evaluate
