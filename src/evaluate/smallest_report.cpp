#include "evaluate/smallest_report.h"

#include <fmt/format.h>

#include "assay/describe_result.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "evaluate/described_evaluate.h"
#include "evaluate/smallest_change.h"

namespace assay {
namespace attack {
namespace {

/// Papers give the largest change in steps of 8-bit pixels.
Estimate shown_size(Estimate estimate, Norm norm) {
    if (norm != Norm::linf) return estimate;
    if (estimate.value) *estimate.value *= 255;
    if (estimate.interval) {
        estimate.interval->low *= 255;
        estimate.interval->high *= 255;
    }
    return estimate;
}

std::string unit_of(Norm norm) {
    return norm == Norm::linf ? "255ths of a pixel's range" : std::string(name_of(norm));
}

/// The note of an estimate, which names a size in another unit than the table of linf.
std::string shown_note(const Estimate& estimate, Norm norm) {
    const bool other_unit =
        norm == Norm::linf && estimate.note.find(without_another_end) != std::string::npos;
    return estimate.note + (other_unit ? " (as a proportion)" : "");
}

}  // namespace

Table table_of_smallest(std::span<const AttackedResult> results, Norm norm) {
    Table table{.title = fmt::format("Smallest changes that fool the model ({})", unit_of(norm)),
                .columns = {{"model", false},
                            {"data set", false},
                            {"attack", false},
                            {"correct"},
                            {"not fooled"},
                            {"median", true, Column::Show::value_and_interval}},
                .rows = {},
                .notes = {}};
    for (const AttackedResult& result : results) {
        for (const SmallestChanges& search : result.smallest) {
            table.add({result.model, result.dataset, search.attack, Count{search.correct},
                       Count{search.not_fooled}, shown_size(search.median, norm)});
            if (!search.median.note.empty()) {
                table.notes.push_back(fmt::format("{} on {}, {}: {}.", result.model, result.dataset,
                                                  search.attack, shown_note(search.median, norm)));
            }
            table.notes.push_back(fmt::format("{} on {}, {}: the change of each image: {}.",
                                              result.model, result.dataset, search.attack,
                                              search.table.string()));
        }
    }
    return table;
}

Table table_of_pairs(const std::vector<SmallestPair>& pairs, Norm norm) {
    Table table{.title = fmt::format("Smallest changes of two models on the same images ({})",
                                     unit_of(norm)),
                .columns = {{"first", false},
                            {"second", false},
                            {"data set", false},
                            {"attack", false},
                            {"images"},
                            {"first larger"},
                            {"second larger"},
                            {"median difference", true, Column::Show::value_and_interval},
                            {"p (sign test)"}},
                .rows = {},
                .notes = {}};
    for (const SmallestPair& pair : pairs) {
        table.add({pair.first, pair.second, pair.dataset, pair.attack, Count{pair.images},
                   Count{pair.first_larger}, Count{pair.second_larger},
                   shown_size(pair.difference, norm), fmt::format("{:.2g}", pair.p_adjusted)});
        if (!pair.difference.note.empty()) {
            table.notes.push_back(fmt::format("{} and {} on {}, {}: {}.", pair.first, pair.second,
                                              pair.dataset, pair.attack,
                                              shown_note(pair.difference, norm)));
        }
    }
    table.notes.emplace_back(
        "Images that both models classify correctly. A larger change is needed: the model is more "
        "robust there.");
    if (pairs.size() > 1)
        table.notes.push_back(
            fmt::format("p-values are adjusted by Holm over {} pairs.", pairs.size()));
    return table;
}

std::string unknown_line(const AttackedResult& result, const SmallestChanges& search) {
    if (search.unknown == 0) return {};
    return fmt::format(
        "{} on {} under {}: the record of the change is lost for {}, which {} not count: type `rm "
        "-r {}` and repeat the command",
        result.model, result.dataset, search.attack, how_many(search.unknown, "image"),
        search.unknown == 1 ? "does" : "do", shell_word(search.store.string()));
}

}  // namespace attack

ResultType result_type(ResultOf<SmallestChanges>) {
    static constexpr auto rows = describe_result<SmallestChanges>(
        {.name = "SmallestChanges", .help = "The smallest changes that fmn or ddn found"},
        {
            part<&SmallestChanges::attack>({}),
            part<&SmallestChanges::store>({}),
            part<&SmallestChanges::table>({.help = "csv with the size of each image's change"}),
            part<&SmallestChanges::correct>({.help = "Images that were attacked"}),
            part<&SmallestChanges::not_fooled>(
                {.help = "Of these, images for which no change fools the model"}),
            part<&SmallestChanges::unknown>(
                {.help = "Images that are not counted, because their record is lost"}),
            part<&SmallestChanges::median>(
                {.help = "Median over the correct images, in the unit of `eps`"}),
            part<&SmallestChanges::saved>({.help = "With `--save-images`"}),
        });
    return rows;
}

ResultType result_type(ResultOf<SmallestPair>) {
    static constexpr auto rows = describe_result<SmallestPair>(
        {.name = "SmallestPair",
         .help = "Two models under the same search, on the images that both classify correctly"},
        {
            part<&SmallestPair::dataset>({}),
            part<&SmallestPair::attack>({}),
            part<&SmallestPair::first>({}),
            part<&SmallestPair::second>({}),
            part<&SmallestPair::images>({}),
            part<&SmallestPair::first_larger>(
                {.help = "Images whose change is larger for `first`"}),
            part<&SmallestPair::second_larger>(
                {.help = "Images whose change is larger for `second`"}),
            part<&SmallestPair::difference>({.help = "Median of first - second"}),
            part<&SmallestPair::p>({.help = "p-value of the exact sign test"}),
            part<&SmallestPair::p_adjusted>(
                {.help = "p-value with Holm's correction over all pairs"}),
        });
    return rows;
}

}  // namespace assay
