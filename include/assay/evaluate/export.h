// Every item of stored predictions on a line of its own, for other programs: what a row's scores
// say, as a table that pandas reads, JSON lines, and a matrix of probabilities for numpy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/describe.h"
#include "assay/evaluate/measure_options.h"
#include "assay/progress.h"

namespace assay {

struct ExportOptions {
    std::vector<std::filesystem::path>
        paths{};  ///< RUNS folders, data sets in them, or stores: as model_stores()
    enum class Format { csv, jsonl, parquet, arrow } format = Format::csv;
    std::size_t top = 5;
    std::vector<std::string> labels{};
    std::string class_map{};
    bool scores = false;
    int threads = 0;
};
template <>
inline constexpr auto description<ExportOptions> = describe<ExportOptions>({
    field<&ExportOptions::scores>(
        {.help = "With --parquet or --arrow: also all scores of each item, as a list column named "
                 "after their kind (logits, ...)"}),
    field<&ExportOptions::top>(
        {.help = "Number of best classes in each row", .min = 0, .max = 1000, .value = "K"}),
    field<&ExportOptions::labels>(
        {.help = "Labels instead of the data set's own: ReaL's json, csv, txt, npy; NAME=FILE: "
                 "those of the data set NAME; repeatable",
         .empty = "the data set's own",
         .value = "LABELS",
         .separator = ""}),
    field<&ExportOptions::class_map>(
        {.help = "Evaluate on another set of classes, as in `assay score`",
         .empty = "the model's own",
         .value = "MAP",
         .also = "--classes-map"}),
    field<&ExportOptions::threads>(
        {.help = "Threads", .min = 0, .empty = "one per core", .also = "-j"}),
});

struct ExportResult {
    std::uint64_t rows = 0;
    std::uint64_t without_scores = 0;   ///< of these: `status` says why
    std::vector<std::string> warnings;  ///< labels that are about other images, or not about all
    std::vector<std::string> notes;     ///< which labels each data set gets
};

/// Writes the lines of all stores, by data set, then model, then item, through `write`, in pieces
/// of some thousand lines: memory does not grow with the number of items. The columns
/// (docs/formats.md): dataset, model, id, filepath, label, label_name, predicted, predicted_name,
/// correct, confidence, margin, label_probability, loss, status, then top1, top1_name,
/// top1_probability, ... What is not known is an empty field, or null: a loss without a single
/// label (the data set's own, as metrics of one label go by it), a margin where one class is
/// stored, everything of an item without scores. Numbers have all their digits. Parquet
/// and Arrow files have the same columns with types, `label` where there is one and `labels` with
/// all of them, and with `scores` a list of all that the store keeps, named by its kind (logits,
/// ...); their pieces are of at most 65,536 items and some 64 MiB. Throws usage and bad_input as
/// score_runs() does; with `scores`: usage (csv, jsonl, a class map), bad_input (a store that keeps
/// fewer than all, stores of other kinds or numbers of classes).
ExportResult export_items(const ExportOptions& options,
                          const std::function<void(std::string_view)>& write,
                          const ProgressCallback& progress = {});

/// The probabilities of one store as an .npy file of items x classes float32, in the order of the
/// lines of export_items; rows without scores are NaN. In pieces, too. Throws usage: several
/// stores; bad_input: a store that keeps fewer than all scores, or a class map.
void export_probabilities(const ExportOptions& options,
                          const std::function<void(std::string_view)>& write);

}  // namespace assay
