// Measures whether decisions follow the shape or the texture of images with two cues, and how
// uncertain this is.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/estimate.h"

namespace assay::quality {

/// Numbers texts in the order of their first appearance.
class Numbering {
public:
    std::uint32_t of(std::string_view text) {
        return numbers_.emplace(text, static_cast<std::uint32_t>(numbers_.size())).first->second;
    }

private:
    std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// The source images of a cue conflict: "airplane1" and "bear2" for "airplane/airplane1-bear2.png".
/// Both are "" if its name has another form.
struct CueImages {
    std::string_view shape, texture;
};
CueImages cue_images_of(std::string_view path);
/// The class: "bear" for "bear2".
std::string_view without_digits(std::string_view cue);

/// The foreground of an image with a replaced background, from its file's name: "dog_1" for
/// "00_dog/fg_dog_1_bg_cat_7.JPEG" and for "00_dog/dog_1.JPEG"; preceded by its folder if
/// `with_folder`.
std::string foreground_of(std::string_view id, bool with_folder);
/// True if one such name is in several folders (cat/0001.png, dog/0001.png), so that the name alone
/// does not identify a foreground. Memory: one number per image, and each name once.
bool foregrounds_need_folders(const StringColumn& ids);

/// One decision on an image whose shape and texture are of different classes.
struct CueDecision {
    std::uint32_t shape_image = 0, texture_image = 0;  ///< the images that were combined
    std::uint32_t image = 0;                           ///< the combined image
    bool shape = false, texture = false;  ///< which cue was followed; neither means a third class
};

struct ShapeBias {
    Estimate value;   ///< hits of the shape / hits of either; undefined if neither was followed
    Estimate wilson;  ///< the same with Wilson's interval, which treats decisions as independent
    std::uint64_t shape = 0, texture = 0, decisions = 0;
    double variance = 0;
    std::vector<double> influence;  ///< contribution of each decision
};
/// The variance by two-way clusters (Cameron, Gelbach and Miller 2011): by shape image, plus by
/// texture image, minus by combined image, and at least the last. The interval is
/// wilson_of_variance() with Student's t, whose degrees of freedom are the smaller number of images
/// of the two kinds minus one. If all decisions agree, the interval is Wilson's.
ShapeBias shape_bias_of(std::span<const CueDecision> decisions, double level);

/// For F clusters, F / (F - 1) times the sum of the squared sums per cluster; 0 for one
/// cluster.
double cluster_variance(std::span<const std::uint32_t> cluster, std::span<const double> influence);

}  // namespace assay::quality
