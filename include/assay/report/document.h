// The document behind a report: results of commands as they are, with what a page needs beside
// them.
//
// A page draws and filters; whatever it shows stands here. Each part of it belongs to one schema of
// docs/formats.md, so that a number on a page is the number that the command prints as JSON.
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
    /// RUNS folders, data sets in them, stores; folders of competitions, of adversarial
    /// images; csv and json tables of quality; json that any command wrote ("schema":
    /// "assay.scores/2", ...). What a file is follows from what is in it.
    std::vector<std::filesystem::path> paths;
    std::string title;           ///< "": from the paths
    std::string command;         ///< as typed, for the provenance
    MeasureOptions measure;      ///< of the stores
    std::filesystem::path tags;  ///< csv: `model`, and any columns; "": none
    std::string clean;           ///< data set whose corrupted versions count; "":
                                 ///< those that have some, each by itself
    /// At most so many estimates of classes in all; models beyond it have none, and `left_out` says
    /// so.
    std::size_t class_estimates = 200'000;
    std::size_t confusions = 100;    ///< most frequent, of each model
    std::size_t disagreements = 20;  ///< items of each pair that is compared
    std::size_t pairs = 100;         ///< comparisons of each data set that are kept whole
    std::size_t items = 600;         ///< images that are shown with their predictions, in all
    std::size_t thumbnails = 0;      ///< images that are embedded or written at most
    int thumbnail_side = 160;        ///< pixels of the longer side, 32 to 512
    int threads = 0;                 ///< 0: one per core; changes no bit
};

struct Thumbnail {
    std::string dataset, id;
    int width = 0, height = 0;
    std::vector<unsigned char> bytes;  ///< JPEG or PNG
};

struct ReportDocument {
    /// "assay.report/1" of docs/formats.md, but for the thumbnails' places.
    nlohmann::json json;
    std::vector<Thumbnail> thumbnails;
    std::vector<std::string> warnings;
    std::vector<std::string> notes;  ///< which labels each data set gets, where some are given
    bool partial = false;
};

/// What can be known to be wrong without a file. Throws usage and bad_input.
void check(const ReportOptions& options);

/// Opens everything, measures the stores (scores with classes, confusions and reliability; each
/// column's best against the others by the paired test of its metric; corrupted versions), ranks
/// the competitions and scores the tables. The same bits for any number of threads. Throws
/// bad_input: a path that is none of these, json without a known schema (with what is allowed);
/// usage: nothing to report. Progress: items, `step` is the data set and model. Cost: what
/// score_runs() costs, and a comparison of two stores for each model beyond the best of a column.
ReportDocument make_report(const ReportOptions& options, Comm& comm,
                           const ProgressCallback& progress = {});

/// For a terminal: what the document holds, and what was left out. JSON: the document.
Report summary_of(const ReportDocument& document);

}  // namespace assay
