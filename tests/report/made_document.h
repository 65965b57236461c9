// Small stores, and the document of their report.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "assay/report/document.h"
#include "evaluate/saved_scores.h"
#include "scratch.h"

namespace assay {

/// Models with these names on one data set, with increasing skill.
inline void save_models(const Scratch& folder, const std::vector<std::string>& models,
                        const std::string& dataset = "val", const std::string& runs = "runs",
                        double step = 0.25) {
    for (std::size_t m = 0; m < models.size(); ++m) {
        Made made = made_up(240, 4, 7 + m, 1 + step * static_cast<double>(m));
        made.dataset = dataset;
        save(folder, made, models[m], StorageFormat::full_f32, 100, false, runs);
    }
}

inline ReportOptions report_options(std::vector<std::filesystem::path> paths) {
    ReportOptions options;
    options.paths = std::move(paths);
    options.command = "assay report";
    options.measure.metrics = {"top1,topk,nll,ece,confidence"};
    options.measure.k = {2};
    options.measure.resampling.replicates = 50;
    return options;
}

inline ReportDocument document_of(const ReportOptions& options) {
    return make_report(options, *self_comm());
}

/// The results that have one schema.
inline std::vector<nlohmann::json> results_of(const nlohmann::json& document,
                                              const std::string& schema) {
    std::vector<nlohmann::json> found;
    for (const auto& one : document.at("results"))
        if (one.at("result").at("schema") == schema) found.push_back(one.at("result"));
    return found;
}

/// The only result that has a schema.
inline nlohmann::json result_of(const nlohmann::json& document, const std::string& schema) {
    return results_of(document, schema).at(0);
}

}  // namespace assay
