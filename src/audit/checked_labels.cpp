#include "audit/checked_labels.h"

#include <utility>

#include <fmt/format.h>

#include "annotation/image_answers.h"
#include "core/refuse.h"
#include "data/label_rows.h"

namespace assay::audit {
namespace {

void require_class(const std::filesystem::path& file, std::uint64_t number, std::uint32_t classes) {
    if (number < classes) return;
    refuse(
        fmt::format("{}: label {} is no class of the scores, which are 0 to {}. To give the "
                    "classes names, type `assay relabel RUNS/DATA_SET --classes FILE`",
                    file.string(), number, classes - 1));
}

/// Settles the votes of each image with one label by majority.
void settle_votes(const ImageAnswerReader& votes, const Dataset& dataset, CheckedLabels& out) {
    out.ignored += votes.about_others();
    out.notes.insert(out.notes.end(), votes.notes().begin(), votes.notes().end());
    for (const auto& [row, image] : votes.images()) {
        const std::int32_t given = dataset.single_label(static_cast<std::size_t>(row));
        if (given < 0) {
            out.ignored += image.answers();
            continue;
        }
        const ClassAnswers about = image.about(given);
        if (about.all() == 0) {
            if (out.half_answered++ == 0)
                out.first_half_answered = dataset.ids[static_cast<std::size_t>(row)];
            continue;
        }
        CheckedLabel checked;
        checked.cannot_be_judged = about.yes == about.no || about.cannot_be_said();
        for (const std::int32_t cls : image.classes()) {
            const ClassAnswers answers = image.about(cls);
            if (answers.yes > answers.no) checked.classes.push_back(cls);
        }
        out.of[row] = std::move(checked);
    }
}

}  // namespace

CheckedLabels read_checked(const AuditOptions& options, const Dataset& dataset,
                           std::uint32_t classes) {
    CheckedLabels out;
    if (!options.confirm.empty()) {
        ImageAnswerReader votes(dataset, classes);
        for (const std::filesystem::path& file : options.confirm) votes.add(file, options.threads);
        settle_votes(votes, dataset, out);
    }
    for (const std::filesystem::path& file : options.labels) {
        LabelMatch match;
        std::vector<char> named;
        const LabelSets sets =
            read_label_sets(file, dataset, dataset.classes, match, out.notes, {.named = &named});
        out.ignored += match.others;
        for (std::size_t row = 0; row < sets.size(); ++row) {
            if (named[row] == 0) continue;
            if (dataset.single_label(row) < 0) {
                out.ignored += sets[row].empty() ? 0U : 1U;
                continue;
            }
            if (!sets[row].empty())
                require_class(file, static_cast<std::uint64_t>(sets[row].back()), classes);
            out.of[row] = {.cannot_be_judged = false,
                           .by_file = true,
                           .classes = {sets[row].begin(), sets[row].end()}};
        }
    }
    return out;
}

}  // namespace assay::audit
