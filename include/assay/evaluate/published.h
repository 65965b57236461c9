// What others have published of the same models, beside what was measured here.
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

/// A table of results, a row for each model and how it was run: timm's results-imagenet.csv.
struct PublishedTable {
    struct Row {
        std::string model;
        std::string setting;  ///< "img_size 224, crop_pct 0.95, interpolation bicubic", or ""
        std::vector<double> values;  ///< proportions, as `metrics`
    };
    std::string source;                ///< the file's name
    std::vector<std::string> metrics;  ///< "top1", "top5"
    std::vector<Row> rows;             ///< a model has one for each setting
};

/// csv with a column `model` and columns that are called as metrics of proportions (top1, top5,
/// ...); percent where a value is above 1, else proportions. `metric`, where it is not "": what the
/// column top1 is, the only one that is read then ("real" of timm's results-imagenet-real.csv).
/// Throws bad_input with file, line and value: no such columns, a cell that is no number or outside
/// its range, two rows of one model and one setting.
PublishedTable parse_published(std::string_view text, const std::string& source,
                               const std::string& metric = "");
/// "FILE" or "METRIC=FILE". Throws as parse_published(); usage: no such metric.
PublishedTable read_published(const std::string& file_or_metric);

/// Each measured value of all items whose model and metric the table has. Models are found by
/// their whole names; `warnings` gets those that it lacks, with the names that begin so. Throws
/// usage where it has no model, or no metric, that was measured.
std::vector<PublishedValue> beside_published(std::span<const ScoreReport> reports,
                                             const PublishedTable& table,
                                             std::vector<std::string>& warnings);

/// "inside", "above" or "below" the interval of the measured value; "" where there is none.
std::string_view place_of_published(const PublishedValue& value);
nlohmann::json to_json(const PublishedValue& value);
/// One for each table that was read.
std::vector<Table> published_tables(std::span<const PublishedValue> values);

}  // namespace assay
