#include "demo/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "assay/error.h"
#include "assay/evaluate/score.h"
#include "assay/report.h"
#include "cli/progress.h"
#include "core/statistics.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

/// "dog/dog3-cat12.png" -> dog, cat.
struct Cues {
    std::string_view shape, texture;
};
std::string_view without_digits(std::string_view text) {
    while (!text.empty() && text.back() >= '0' && text.back() <= '9') text.remove_suffix(1);
    return text;
}
Cues cues_of(std::string_view id) {
    std::string_view stem = id.substr(id.rfind('/') + 1);
    stem = stem.substr(0, stem.rfind('.'));
    const std::size_t dash = stem.rfind('-');
    if (dash == std::string_view::npos) return {};
    return {without_digits(stem.substr(0, dash)), without_digits(stem.substr(dash + 1))};
}

std::int32_t best_of(std::span<const float> row) {
    return static_cast<std::int32_t>(std::max_element(row.begin(), row.end()) - row.begin());
}

/// 1234567 -> "1.23 M".
std::string size_text(std::int64_t n) {
    return n < 1'000'000 ? fmt::format("{:.1f} k", static_cast<double>(n) / 1e3)
                         : fmt::format("{:.2f} M", static_cast<double>(n) / 1e6);
}

std::string share_text(std::uint64_t hits, std::uint64_t n) {
    if (n == 0) return "–";
    const Interval interval = wilson(hits, n);
    const double half = (interval.high - interval.low) / 2;
    return fmt::format(
        "{} ±{}",
        number_text(static_cast<double>(hits) / static_cast<double>(n), half, Unit::proportion),
        number_text(half, half, Unit::proportion));
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
            const Measurement& m = report.measurements.at(0);
            if (!m.value) return std::string("–");
            const double half = half_width(m);
            return number_text(*m.value, half, m.unit) +
                   (m.interval ? " ±" + number_text(half, half, m.unit) : "");
        });
    }

    void add_shape_bias(const std::string& title, const std::string& dataset) {
        if (!has(dataset)) return;
        add(title, [&](const Row& row) {
            const CueCounts counts = count_cues(PredictionStore::open(runs_ / dataset / row.name));
            return share_text(counts.shape, counts.shape + counts.texture);
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
            "shape bias: share of the answers that name the outline, of those that name outline or "
            "texture");
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

CueCounts count_cues(const PredictionStore& store) {
    const Dataset& dataset = store.dataset();
    CueCounts counts;
    std::vector<float> row(store.classes());
    for (std::size_t s = 0; s < store.shards(); ++s) {
        const PredictionStore::Shard shard = store.shard(s);
        for (std::uint32_t i = 0; i < shard.rows; ++i) {
            if (shard.states()[i] != RowState::ok) continue;
            const std::string_view id = dataset.ids[shard.first_row + i];
            const Cues cues = cues_of(id);
            const auto shape = dataset.classes.find(cues.shape),
                       texture = dataset.classes.find(cues.texture);
            if (!shape || !texture) {
                throw Error(
                    ErrorCode::bad_input,
                    fmt::format("{}: the name does not tell two classes as in CLASS1-CLASS2.png",
                                id));
            }
            if (shape == texture) continue;
            shard.read_rows(i, 1, row);
            const std::int32_t answer = best_of(row);
            ++(answer == *shape     ? counts.shape
               : answer == *texture ? counts.texture
                                    : counts.neither);
        }
    }
    return counts;
}

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
        return row.copy ? std::string("as above")
                        : share_text(row.report->held_out_right_attacked, row.report->held_out);
    });
    summary.add_metric("v1 ece", "v1", "ece");
    summary.add_shape_bias("shape bias %", "cue-conflict");
    summary.add_metric("sketch %", "sketch", "top1");
    summary.add_metric("retextured %", "retextured", "top1");
    return summary.table();
}

}  // namespace assay::cli
