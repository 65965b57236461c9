#include "demo/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "assay/evaluate/score.h"
#include "cli/progress.h"
#include "cli/scoring.h"
#include "core/statistics.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

/// 1234567 -> "1.23 M".
std::string size_text(std::int64_t n) {
    return n < 1'000'000 ? fmt::format("{:.1f} k", static_cast<double>(n) / 1e3)
                         : fmt::format("{:.2f} M", static_cast<double>(n) / 1e6);
}

std::string proportion_text(std::uint64_t hits, std::uint64_t n) {
    if (n == 0) return "–";
    const Interval interval = wilson(hits, n);
    const double half = (interval.high - interval.low) / 2;
    return fmt::format("{} ±{}",
                       number_text(static_cast<double>(hits) / static_cast<double>(n), half, true),
                       number_text(half, half, true));
}

struct Row {
    std::string name;
    const TrainReport* report;
    bool copy;
};

class Summary {
public:
    Summary(fs::path runs, std::vector<Row> rows)
        : runs_(std::move(runs)), rows_(std::move(rows)) {}

    void add(std::string title, const std::function<std::string(const Row&)>& cell) {
        titles_.push_back(std::move(title));
        cells_.emplace_back();
        for (const Row& row : rows_) cells_.back().push_back(cell(row));
    }

    void add_metric(const std::string& title, const std::string& dataset,
                    const std::string& metric) {
        if (!has(dataset)) return;
        add(title, [&](const Row& row) {
            ScoreOptions options;
            options.metrics = {parse_metric(metric)};
            const auto comm = self_comm();
            const ScoreReport report =
                score_store(PredictionStore::open(runs_ / dataset / row.name), options, *comm);
            return value_text(report.measurements.at(0));
        });
    }

    Table table() const {
        std::vector<Table::Column> columns{{"model"}};
        for (const std::string& title : titles_) columns.push_back({title, Align::right});
        Table table(columns, "Models and what matters");
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            std::vector<std::string> line{rows_[i].name};
            for (const auto& column : cells_) line.push_back(column[i]);
            table.add(std::move(line));
        }
        table.footer(
            "attacked: images kept from training, after one signed gradient step of 4/255");
        table.footer(
            "shape bias: of the predictions that name the class of the shape or of the texture, "
            "the "
            "proportion that name the shape's");
        return table;
    }

private:
    bool has(const std::string& dataset) const {
        return std::all_of(rows_.begin(), rows_.end(), [&](const Row& row) {
            return fs::exists(runs_ / dataset / row.name / "manifest.json");
        });
    }

    fs::path runs_;
    std::vector<Row> rows_;
    std::vector<std::string> titles_;
    std::vector<std::vector<std::string>> cells_;
};

}  // namespace

Table demo_summary(const fs::path& runs, std::span<const DemoNetwork> networks,
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
    summary.add("attacked %", [](const Row& row) {
        return row.copy
                   ? std::string("as above")
                   : proportion_text(row.report->held_out_right_attacked, row.report->held_out);
    });
    summary.add_metric("v1 ece", "v1", "ece");
    summary.add_metric("shape bias %", "cue-conflict", "shape_bias");
    summary.add_metric("sketch %", "sketch", "top1");
    summary.add_metric("retextured %", "retextured", "top1");
    return summary.table();
}

}  // namespace assay::cli
