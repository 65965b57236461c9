// The document behind a report: unchanged results of commands, with the additional data that a page
// needs.
//
// A page draws and filters; everything that it shows is in the document. Each part of it has one
// schema of docs/formats.md, so that a number on a page is the number that the command prints as
// JSON.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "assay/collective/comm.h"
#include "assay/evaluate/measure_options.h"
#include "assay/progress.h"

namespace assay {

struct Report;

struct ReportOptions {
    /// RUNS folders, data sets in them, stores; folders of competitions, of adversarial images; csv
    /// and json tables of quality. Also json that any command wrote ("schema": "assay.scores/2",
    /// ...). The kind of a file is determined by its content.
    std::vector<std::filesystem::path> paths;
    std::string title;           ///< "" derives it from the paths
    std::string command;         ///< the command as typed, for the provenance
    MeasureOptions measure;      ///< the measures of stores
    std::filesystem::path tags;  ///< csv: `model`, and any columns; "" means none
    std::string clean;           ///< data set whose corrupted versions are used; "" means every
                                 ///< data set that has some, each separately
    /// The maximum number of estimates for classes in total; further models have none, and
    /// `left_out` says so.
    std::size_t class_estimates = 200'000;
    std::size_t confusions = 100;    ///< most frequent confusions per model
    std::size_t disagreements = 20;  ///< items per pair that is compared
    std::size_t pairs = 100;         ///< comparisons per data set that are kept completely
    std::size_t sliced_models = 20;  ///< best models per data set whose slices are searched
    std::size_t slices = 100;        ///< slices per model
    std::size_t items = 600;         ///< images that are shown with their predictions, in total
    std::size_t thumbnails = 0;      ///< maximum number of images that are embedded or written
    int thumbnail_side = 160;        ///< pixels of the longer side, 32 to 512
    int threads = 0;                 ///< 0 means one thread per core; does not change results
};

struct Thumbnail {
    std::string dataset, id;
    int width = 0, height = 0;
    std::vector<unsigned char> bytes;  ///< JPEG or PNG
};

struct ReportDocument {
    /// "assay.report/1" in docs/formats.md, except for the thumbnails' places.
    nlohmann::json json;
    std::vector<Thumbnail> thumbnails;
    std::vector<std::string> warnings;
    std::vector<std::string> notes;  ///< the labels used for each data set, if some are given
    bool partial = false;
};

/// Checks the options as far as this is possible without a file. Throws usage and bad_input.
void check(const ReportOptions& options);

/// Opens everything, measures the stores, ranks the competitions and scores the tables. The
/// measures of stores are scores with classes, confusions and reliability, and those of corrupted
/// versions. Each column's best is compared with the others by the paired test of its metric. The
/// bits are the same for any number of threads. Throws bad_input for a path of another kind, and
/// json without a known schema (with the allowed ones). Throws usage if there is nothing to report.
/// Progress counts items; `step` is the data set and model. Cost: that of score_runs(), and a
/// comparison of two stores for each model other than the best of a column.
ReportDocument make_report(const ReportOptions& options, Comm& comm,
                           const ProgressCallback& progress = {});

/// For a terminal: the contents of the document, and what was skipped. JSON: the document.
Report summary_of(const ReportDocument& document);

}  // namespace assay
