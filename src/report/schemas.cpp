#include "report/schemas.h"

#include <algorithm>
#include <array>

namespace assay {
namespace {

/// As docs/formats.md has them, in the order of their names.
constexpr std::array<std::string_view, 36> reportable = {
    "assay.attack/1",
    "assay.attack_examples/1",
    "assay.check/1",
    "assay.comparisons/2",
    "assay.corrupt/1",
    "assay.corrupted_accuracy/1",
    "assay.cost/1",
    "assay.gap/3",
    "assay.inspect/1",
    "assay.label_proposals/1",
    "assay.label_stats/2",
    "assay.label_votes/2",
    "assay.labelling/1",
    "assay.mad/1",
    "assay.mad_answers/1",
    "assay.mad_gallery/1",
    "assay.mad_questions/1",
    "assay.mad_ranking/1",
    "assay.mad_selection/1",
    "assay.mad_status/1",
    "assay.patchml_report/2",
    "assay.people/1",
    "assay.people_shape_bias/1",
    "assay.quality/1",
    "assay.quality_choose/1",
    "assay.quality_correlate/1",
    "assay.quality_groups/1",
    "assay.quality_score/1",
    "assay.quality_stability/1",
    "assay.replicate_adjust/2",
    "assay.replicate_figures/1",
    "assay.replicate_frequencies/2",
    "assay.replicate_match/2",
    "assay.replicate_plan/3",
    "assay.scores/2",
    "assay.slices/1",
};

}  // namespace

bool is_reportable(std::string_view schema) {
    return std::find(reportable.begin(), reportable.end(), schema) != reportable.end();
}

std::string reportable_schemas() {
    std::string list;
    for (const std::string_view schema : reportable)
        list += (list.empty() ? "" : ", ") + std::string(schema);
    return list;
}

}  // namespace assay
