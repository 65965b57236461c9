// Images drawn at random for experts, and the classes that they judge.
//
// Errors that annotators share with the models cannot be seen in votes. Experts who judge the whole
// label sets of some images show them, if the images are a random draw from all of them: not from
// the questions that were asked, and not from those that look difficult.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/annotation/propose.h"
#include "assay/data/dataset.h"
#include "assay/report.h"
#include "assay/result_type.h"

namespace assay {

struct DrawGoldOptions {
    std::vector<std::string> stores{};  ///< as ProposeOptions has them
    std::uint64_t images = 0;           ///< so many are drawn
    std::uint32_t depth = 5;            ///< classes among each model's so many best are judged
    bool keep_original = true;          ///< the original label of an image is judged, too
    std::uint64_t seed = 1;
};

struct GoldDraw {
    Dataset dataset;
    std::vector<std::string> models;
    std::uint64_t images = 0;      ///< with scores of every model
    std::uint64_t not_scored = 0;  ///< the others; none of them is drawn
    std::uint64_t drawn = 0;
    double probability = 0;  ///< of each image, to be drawn
    std::uint32_t depth = 0;
    std::vector<Question> questions;  ///< by image, the most probable class first
    std::vector<std::string> warnings;
};

/// Throws usage: no image or more than there are, a depth outside 1 .. 64, no model or more than
/// 64; bad_input: stores of other images or classes, or that keep fewer classes than `depth`.
GoldDraw draw_gold(const DrawGoldOptions& options);

/// "assay.gold_draw/1".
ResultType result_type(ResultOf<GoldDraw>);
Report report_of(const GoldDraw& draw);
/// A line for each class to judge: item, path, label, class, proposed_by, prior, probability.
std::string gold_csv(const GoldDraw& draw);

}  // namespace assay
