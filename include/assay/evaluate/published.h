// Published results of the same models, next to the values measured here.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "assay/evaluate/score.h"
#include "assay/report.h"

namespace assay {

/// A table of results with a row for each model and setting: timm's results-imagenet.csv.
struct PublishedTable {
    struct Row {
        std::string model;
        std::string setting;  ///< "img_size 224, crop_pct 0.95, interpolation bicubic", or ""
        std::vector<double> values;  ///< proportions, as `metrics`
    };
    std::string source;                ///< the file's name
    std::vector<std::string> metrics;  ///< "top1", "top5"
    std::vector<Row> rows;             ///< a model has one row per setting
};

/// Parses csv with a column `model` and columns named like metrics of proportions (top1, top5,
/// ...). Values are percent if one is above 1, otherwise proportions. If `metric` is not "", it
/// names the metric in the column top1, which is then the only one that is read ("real" of timm's
/// results-imagenet-real.csv). Throws bad_input with file, line and value if there are no such
/// columns, or if two rows have the same model and setting. Also throws it for a cell that is not a
/// number or is out of range.
PublishedTable parse_published(std::string_view text, const std::string& source,
                               const std::string& metric = "");
/// Reads "FILE" or "METRIC=FILE". Throws as parse_published() does; usage if the metric does not
/// exist.
PublishedTable read_published(const std::string& file_or_metric);

/// Returns each measured value over all items whose model and metric are in the table. Models are
/// found by their whole names; `warnings` gets those that the table lacks, with the table's names
/// that begin with theirs. Throws usage if the table has no model, or no metric, that was measured.
std::vector<PublishedValue> beside_published(std::span<const ScoreReport> reports,
                                             const PublishedTable& table,
                                             std::vector<std::string>& warnings);

/// "inside", "above" or "below" the interval of the measured value; "" if it has no interval.
std::string_view place_of_published(const PublishedValue& value);
nlohmann::json to_json(const PublishedValue& value);
/// One entry for each table that was read.
std::vector<Table> published_tables(std::span<const PublishedValue> values);

}  // namespace assay
