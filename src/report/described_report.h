// The parts of a report's document, which are described for the page and the docs
// (assay/describe_result.h).
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "assay/result_type.h"

namespace assay {

/// The result of a command.
struct SourcedResult {
    std::string source;  ///< a folder, a file
    nlohmann::json result;
};

/// A column of the overview: its best model, and those that the paired test cannot distinguish from
/// it.
struct ColumnBest {
    struct Untested {
        std::string model, why;
    };
    std::string dataset, metric, definition;
    std::map<std::string, std::string> parameters;
    std::string best;
    std::vector<std::string> alike;
    std::vector<Untested> untested;
    double level = 0.95;
};

struct MetricDefinition {
    std::string definition, metric, name, meaning, source;
};

struct ItemClass {
    std::int32_t cls = 0;
    std::string id, name;
};
struct ItemPrediction {
    ItemClass cls;
    std::size_t rank = 0;
    std::optional<double> probability;
    bool correct = false;
};
struct ItemModel {
    std::string name;
    std::optional<std::vector<ItemPrediction>> predictions;
    std::string not_scored;  ///< reason for missing scores
};
/// An image with models' predictions for it.
struct ReportItem {
    std::string dataset, id;
    std::uint64_t item = 0;
    std::vector<ItemClass> labels;
    std::vector<ItemModel> models;
};

/// User-given tags of models.
struct ReportTags {
    std::vector<std::string> names;
    std::map<std::string, std::map<std::string, std::string>> models;
};

/// The known facts about how a store was made, from its manifest.
struct StoreProvenance {
    std::string store, model, dataset, model_hash, dataset_id;
    std::uint64_t rows = 0, missing = 0, classes = 0;
    std::string kind, storage, preprocess_hash;
    std::optional<nlohmann::json> command, versions, commit, device, processor;
};
struct FileProvenance {
    std::string file, hash, schema;
};

struct PlacedThumbnail {
    std::string dataset, id;
    int width = 0, height = 0;
    std::string source;
};

/// Schema `assay.report/1`.
struct ReportParts {
    std::string assay, title;
    std::vector<SourcedResult> results;
    std::vector<ColumnBest> best;
    std::vector<MetricDefinition> definitions;
    ReportTags tags;
    std::vector<ReportItem> items;
    std::vector<PlacedThumbnail> thumbnails;
    std::string command;
    std::vector<StoreProvenance> stores;
    std::vector<FileProvenance> files;
    std::vector<std::string> warnings, left_out;
};
ResultType result_type(ResultOf<PlacedThumbnail>);
ResultType result_type(ResultOf<ReportParts>);

/// Schema `assay.report_folder/1`, which marks the folder of a report.
struct ReportFolderMark {};
ResultType result_type(ResultOf<ReportFolderMark>);

}  // namespace assay
