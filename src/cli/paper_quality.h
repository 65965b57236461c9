// The tables and figures of the nine quality dimensions that `assay paper quality` writes.
#pragma once

#include <string>
#include <vector>

#include "assay/quality/groups.h"
#include "assay/report.h"
#include "assay/report/draw.h"
#include "cli/paper_settings.h"

namespace assay::cli {

class PaperStudy;

namespace paper_quality {

/// "published" or the file, as the commands of assay quality take it.
std::string table_text(const PaperSettings& settings);
/// The selectors of each comparison of [paper].groups. Throws bad_input for another form.
std::vector<quality::GroupOptions> comparisons_of(const PaperSettings& settings);
/// The name of a comparison's result: "groups-1.json".
std::string comparison_file(std::size_t comparison);

/// Centre, spread and range of each dimension.
Table dimensions(PaperStudy& study);
/// Every model's nine values.
Table models(PaperStudy& study);
/// Every comparison in every dimension. Throws NoInput without groups.
Table comparisons(PaperStudy& study);
/// The best models by QUBA with their nine values.
Table best(PaperStudy& study);
/// Every model's score and rank.
Table scores(PaperStudy& study);
/// The five best models by each profile of weights.
Table profiles(PaperStudy& study);
/// Correlations of all pairs of dimensions.
Table correlations(PaperStudy& study);
/// The same among the models of each group. Throws NoInput without `by`.
Table grouped_correlations(PaperStudy& study);

/// Each dimension by accuracy.
std::vector<Plot> scatters(PaperStudy& study);
/// The effect sizes of every comparison. Throws NoInput without groups.
std::vector<Plot> effects(PaperStudy& study);
/// Correlations of all models as a heat map.
std::vector<Plot> matrix(PaperStudy& study);
/// A heat map for each group. Throws NoInput without `by`.
std::vector<Plot> matrices(PaperStudy& study);

}  // namespace paper_quality
}  // namespace assay::cli
