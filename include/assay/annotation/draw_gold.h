// Draws random images for experts, and the classes that they judge.
//
// Errors that annotators share with the models are invisible in votes. Experts who judge the whole
// label sets of some images reveal them. The images must be a random draw from all images, not from
// the questions that were asked or from images that look difficult.
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
    std::vector<std::string> stores{};  ///< stores as in ProposeOptions
    std::uint64_t images = 0;           ///< number of images to draw
    std::uint32_t depth = 5;            ///< the number of best classes of each model that are
                                        ///< judged
    bool keep_original = true;          ///< also judge the original label of an image
    std::uint64_t seed = 1;
};

struct GoldDraw {
    Dataset dataset;
    std::vector<std::string> models;
    std::uint64_t images = 0;      ///< images with scores of every model
    std::uint64_t not_scored = 0;  ///< images without such scores, which are never drawn
    std::uint64_t drawn = 0;
    double probability = 0;  ///< probability of each image to be drawn
    std::uint32_t depth = 0;
    std::vector<Question> questions;  ///< sorted by image, then by falling probability
    std::vector<std::string> warnings;
};

/// Throws usage for no image or more than exist, a depth outside 1 .. 64, and no model or more than
/// 64. Throws bad_input for stores with different images or classes, or too few classes.
GoldDraw draw_gold(const DrawGoldOptions& options);

/// Schema "assay.gold_draw/1".
ResultType result_type(ResultOf<GoldDraw>);
Report report_of(const GoldDraw& draw);
/// Csv with a row per class to judge: item, path, label, class, proposed_by, prior, probability.
std::string gold_csv(const GoldDraw& draw);

}  // namespace assay
