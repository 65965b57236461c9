// Exports every item of stored predictions for other programs, one item per line. It writes a table
// that pandas reads, JSON lines, or a matrix of probabilities for numpy.
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
        paths{};  ///< RUNS folders, data sets in them, or stores, as in model_stores()
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
    std::uint64_t without_scores = 0;   ///< items without scores: `status` gives the reason
    std::vector<std::string> warnings;  ///< warnings about labels of other images, or of only some
                                        ///< of the images
    std::vector<std::string> notes;     ///< the labels used for each data set
};

/// Writes the lines of all stores through `write`, by data set, then model, then item. It writes
/// pieces of some thousand lines, so memory does not grow with the number of items. The columns
/// (docs/formats.md): dataset, model, id, filepath, label, label_name, predicted, predicted_name,
/// correct, confidence, margin, label_probability, loss, status, then top1, top1_name,
/// top1_probability, ... An unknown value is an empty field or null. The loss is for the data set's
/// own single label, and unknown for an item without one. The margin is
/// unknown if one class is stored. All values of an item without scores are unknown. Numbers have
/// all their digits. Parquet and Arrow files have the same columns with types. They have `label` if
/// an item has one label, and `labels` with all of them. With `scores`, they also have a list of
/// all stored scores, named by its kind (logits, ...). Each piece has at most 65,536 items and
/// about 64 MiB. Throws usage and bad_input as score_runs() does. With `scores`, it also throws
/// usage for csv, jsonl or a class map. With `scores`, it throws bad_input for a store with only
/// some of the scores, and for stores with different kinds or numbers of classes.
ExportResult export_items(const ExportOptions& options,
                          const std::function<void(std::string_view)>& write,
                          const ProgressCallback& progress = {});

/// Writes the probabilities of one store as an .npy file of items x classes float32, in the order
/// of the lines of export_items(). Rows without scores are NaN. It also writes in pieces. Throws
/// usage if there are several stores; bad_input if the store has only some of the scores, or with a
/// class map.
void export_probabilities(const ExportOptions& options,
                          const std::function<void(std::string_view)>& write);

}  // namespace assay
