#include "replication/selection_readings.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>

#include <fmt/format.h>

#include "assay/error.h"
#include "core/text.h"

namespace assay::replication {
namespace {

/// Image, label and annotator identify an answer.
std::string answer_key(const Selections& set, const Selection& row) {
    return fmt::format("{}\n{}\n{}", set.images[row.image], set.image_class[row.image],
                       row.annotator);
}

}  // namespace

void refuse_selection_readings(const Selections& set,
                               const std::vector<std::filesystem::path>& selected_by,
                               StudyNames& names) {
    if (selected_by.empty()) return;
    std::unordered_set<std::string> answers;
    std::set<std::uint32_t> batches;
    for (const auto& path : selected_by) {
        const Selections round = read_selections(path, names);
        for (const Selection& row : round.rows) {
            answers.insert(answer_key(round, row));
            if (round.has_batches && !names.batches[row.batch].empty()) batches.insert(row.batch);
        }
    }
    std::uint64_t shared = 0, in_batches = 0;
    std::string example;
    for (const Selection& row : set.rows) {
        if (answers.contains(answer_key(set, row))) {
            if (shared++ == 0)
                example = fmt::format("annotator `{}` on `{}`", names.annotators[row.annotator],
                                      shortened(set.images[row.image]));
        } else if (set.has_batches && batches.contains(row.batch)) {
            if (shared + in_batches++ == 0)
                example = fmt::format("batch `{}`", names.batches[row.batch]);
        }
    }
    if (shared + in_batches == 0) return;
    throw Error(
        ErrorCode::bad_input,
        fmt::format(
            "{}: {} of {} annotations are those that selected its images (the first: {}). "
            "Frequencies of chosen images regress to the mean, so part of the gap would falsely "
            "count as selection bias. Give annotations collected after the selection",
            set.source, shared + in_batches, set.rows.size(), example));
}

void refuse_same_set(const Readings& first, const Readings& second) {
    if (first.size() != second.size()) return;
    using Row = std::tuple<std::string_view, std::uint32_t, std::uint16_t, std::uint16_t>;
    const auto rows = [](const Readings& set) {
        std::vector<Row> all;
        for (std::size_t i = 0; i < set.size(); ++i)
            all.emplace_back(set.images[i], set.classes[i], set.annotators[i], set.selected[i]);
        std::ranges::sort(all);
        return all;
    };
    if (rows(first) != rows(second)) return;
    throw Error(
        ErrorCode::bad_input,
        fmt::format(
            "{} and {} hold the same images with the same annotations: pass two different sets",
            first.source, second.source));
}

}  // namespace assay::replication
