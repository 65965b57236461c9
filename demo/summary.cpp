#include "demo/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "assay/evaluate/score.h"
#include "core/paths.h"
#include "core/statistics.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

/// Returns "1.23 M" for 1234567.
std::string size_text(std::int64_t n) {
    return n < 1'000'000 ? fmt::format("{:.1f} k", static_cast<double>(n) / 1e3)
                         : fmt::format("{:.2f} M", static_cast<double>(n) / 1e6);
}

/// Uses the images that were held out from training, as counted in the training report.
Estimate accuracy_under_fgsm(const TrainReport& report) {
    Estimate estimate;
    estimate.unit = Unit::proportion;
    estimate.n = report.held_out;
    if (report.held_out == 0) {
        estimate.undefined = "no image was kept from training";
        return estimate;
    }
    estimate.value =
        static_cast<double>(report.held_out_right_attacked) / static_cast<double>(report.held_out);
    estimate.interval = wilson(report.held_out_right_attacked, report.held_out);
    return estimate;
}

struct Row {
    std::string name;
    const TrainReport* report;
    bool copy;
};

class Summary {
public:
    Summary(fs::path runs, std::vector<Row> rows) : runs_(std::move(runs)), rows_(std::move(rows)) {
        table_.title = "The models and their main results";
        table_.columns.push_back({.name = "model", .numbers = false});
        for (const Row& row : rows_) table_.rows.push_back({row.name});
    }

    void add(std::string title, const std::function<Cell(const Row&)>& cell) {
        table_.columns.push_back({.name = std::move(title), .show = Column::Show::value_and_half});
        for (std::size_t i = 0; i < rows_.size(); ++i) table_.rows[i].push_back(cell(rows_[i]));
    }

    void add_metric(const std::string& title, const std::string& dataset,
                    const std::string& metric) {
        if (!has(dataset)) return;
        add(title, [&](const Row& row) -> Cell {
            ScoreOptions options;
            options.metrics = {parse_metric(metric)};
            const auto comm = self_comm();
            const ScoreReport report =
                score_store(PredictionStore::open(runs_ / dataset / row.name), options, *comm);
            return static_cast<const Estimate&>(report.measurements.at(0));
        });
    }

    Report report() {
        table_.notes = {"FGSM: images kept from training, after one signed gradient step of 4/255",
                        "shape bias: proportion of shape among the predictions of the class of the "
                        "shape or of the texture"};
        Report report;
        report.sections.push_back({.title = "", .blocks = {std::move(table_)}, .sections = {}});
        return report;
    }

private:
    bool has(const std::string& dataset) const {
        return std::all_of(rows_.begin(), rows_.end(), [&](const Row& row) {
            return is_there(runs_ / dataset / row.name / "manifest.json");
        });
    }

    fs::path runs_;
    std::vector<Row> rows_;
    assay::Table table_;
};

}  // namespace

Report demo_summary(const fs::path& runs, std::span<const DemoNetwork> networks,
                    std::span<const TrainReport> reports) {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < networks.size(); ++i) {
        rows.push_back({networks[i].spec.name, &reports[i], false});
        if (!networks[i].spec.calibrated_copy.empty())
            rows.push_back({networks[i].spec.calibrated_copy, &reports[i], true});
    }
    Summary summary(runs, std::move(rows));
    summary.add("parameters", [](const Row& row) { return size_text(row.report->parameters); });
    summary.add_metric("v1 top1 %", "v1", "top1");
    summary.add_metric("v2 top1 %", "v2", "top1");
    summary.add("FGSM %", [](const Row& row) -> Cell {
        if (row.copy) return std::string("as above");
        return accuracy_under_fgsm(*row.report);
    });
    summary.add_metric("v1 ece", "v1", "ece");
    summary.add_metric("shape bias %", "cue-conflict", "shape_bias");
    summary.add_metric("sketch %", "sketch", "top1");
    summary.add_metric("retextured %", "retextured", "top1");
    return summary.report();
}

}  // namespace assay::cli
