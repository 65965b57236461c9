#include "few_labels/looks.h"

#include <algorithm>

#include <fmt/format.h>

#include "assay/error.h"
#include "core/shell_word.h"

namespace assay::few_labels {
namespace {

constexpr std::size_t most_looks = 2;

/// Returns whether the record has changed.
bool record_look(Design& design, const EstimateOptions& options, std::uint64_t labels) {
    if (options.peek > 0) {
        if (design.planned != 0) return false;
        design.planned = options.peek;
        return true;
    }
    if (options.stop_at > 0 || std::ranges::find(design.looks, labels) != design.looks.end())
        return false;
    design.looks.push_back(labels);
    return true;
}

}  // namespace

void note_look(const std::filesystem::path& study, Design& design, const EstimateOptions& options,
               PoolEstimate& result) {
    if (result.labels >= 2 && record_look(design, options, result.labels)) {
        try {
            write_design(study, design);
        } catch (const Error& error) {
            result.notes.push_back(
                fmt::format("this look is not counted in the study: {}", error.what()));
        }
    }
    result.looks = design.looks.size();
    const std::string name = shell_word(study.string());
    if (options.peek > 0 && design.planned != 0 && options.peek != design.planned)
        result.warnings.push_back(fmt::format(
            "--peek {}: the first look had --peek {}. Intervals hold for one number, "
            "chosen before the first look: assay estimate show {} --answers VOTES --peek {}",
            options.peek, design.planned, name, design.planned));
    if (options.peek == 0 && options.stop_at <= 0 && result.looks > most_looks)
        result.warnings.push_back(fmt::format(
            "results were seen at {} numbers of labels. An interval is too narrow if you stop "
            "because it excludes 0. Use wider ones, or stop at a width (--stop-at 0.03): assay "
            "estimate show {} --answers VOTES --peek {}",
            result.looks, name, result.drawn));
}

}  // namespace assay::few_labels
