// The tables and contact sheets of a competition that `assay paper mad` writes.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "assay/mad/competition.h"
#include "assay/mad/distance_path.h"
#include "assay/mad/gallery.h"
#include "assay/mad/rank.h"
#include "assay/report.h"
#include "assay/report/draw.h"
#include "cli/paper_settings.h"

namespace assay::cli {

class PaperStudy;

namespace paper_mad {

/// The ways through the hierarchy between labels of a selected image: of those that are nearest,
/// and of those that are farthest. One way if they are the same. Throws NoInput if the competition
/// has no hierarchy or no image.
std::vector<mad::DistancePath> distances_of(const mad::Competition& competition);
/// The pair that [paper] names, or the two best classifiers that have images together. Throws
/// NoInput if no pair has images.
std::pair<std::string, std::string> shown_pair(const PaperSettings& settings,
                                               const mad::Ranking& ranking);

/// Each classifier's rank by accuracy and in the competition. Throws NoInput without accuracies.
Table ranks(PaperStudy& study);
/// The correlations with other orders. Throws NoInput without one.
Table correlations(PaperStudy& study);
/// The steps of distances_of().
Table ways(PaperStudy& study);
/// The ways of distances_of() as a figure of the hierarchy.
std::string drawn_ways(PaperStudy& study, PlotFormat format);
/// Images by tag, and the classifiers' errors on them. Throws NoInput if no image has a tag.
Table tags(PaperStudy& study);
/// Contact sheets of shown_pair() in the folder.
mad::Gallery pair_sheets(PaperStudy& study, const std::filesystem::path& folder);
/// Contact sheets of the tags in the folder. Throws NoInput if no image has a tag.
mad::Gallery tag_sheets(PaperStudy& study, const std::filesystem::path& folder);
/// Contact sheets of the five classes with the most selected images, beside labelled images.
/// Throws NoInput if no image is selected.
mad::Gallery class_sheets(PaperStudy& study, const std::filesystem::path& folder);

}  // namespace paper_mad
}  // namespace assay::cli
