// The confidence above which the error among the answers is bounded.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace assay::decisions {

struct JudgedImage {
    double confidence = 0;
    bool correct = false;
};

/// The lowest of 20 thresholds above which the error is at most `max_error`, with a probability of
/// at least `level` over samples of images. The thresholds answer 1/20, 2/20, ... of the images;
/// the last is -1 and answers all. Each has an exact test (Clopper and Pearson), and Bonferroni's
/// correction joins them, so the error need not fall with the confidence. Given the image at a
/// threshold, those above it are independent draws. Nothing: no threshold passes. Cost: a sort.
std::optional<double> safe_threshold(std::vector<JudgedImage> images, double max_error,
                                     double level);

}  // namespace assay::decisions
