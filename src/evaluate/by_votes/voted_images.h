// The information from votes, stores and experts about the images of one data set.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "annotation/true_sets/set_values.h"
#include "assay/annotation/aggregate.h"
#include "assay/data/label_sets.h"
#include "assay/store/prediction_store.h"

namespace assay {

struct VotedImages {
    std::vector<std::string> models;
    true_sets::AskedImages asked;
    /// Rows of the images: first those that people were asked about, then those with a given set.
    std::vector<std::uint64_t> rows;
    LabelSets thresholded;  ///< for `rows`: posteriors of at least .8, or the given set
    LabelSets given;        ///< sets of the rows without questions
    /// For each image of `rows` and each model: the best classes, best first.
    std::vector<std::vector<std::int32_t>> best;
    std::uint64_t without_scores = 0;  ///< number of images without scores from some model
    std::vector<std::string> notes, warnings;

    std::span<const std::int32_t> best_of(std::size_t image, std::size_t model) const {
        return best[image * models.size() + model];
    }
};

/// `subgroups` must be ascending. Throws bad_input and usage as values_by_votes() does.
VotedImages voted_images(std::span<const PredictionStore* const> stores,
                         const std::filesystem::path& votes, const LabelSets& labels,
                         std::span<const int> subgroups, int threads);

/// Images with sets from experts: their indices in VotedImages::rows, and their sets.
struct ExpertSets {
    std::vector<std::size_t> image;
    LabelSets sets;
};
/// Throws bad_input: fewer than two images, images that are not in the data set, unknown classes.
ExpertSets expert_sets(const std::filesystem::path& file, const PredictionStore& store,
                       VotedImages& images);

}  // namespace assay
