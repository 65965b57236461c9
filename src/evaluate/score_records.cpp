#include "evaluate/score_records.h"

#include "evaluate/measurement_text.h"

namespace assay {
namespace {

void append(std::vector<Column>& columns, std::vector<Column> more) {
    columns.insert(columns.end(), more.begin(), more.end());
}

std::vector<Column> texts(std::initializer_list<const char*> names) {
    std::vector<Column> columns;
    for (const char* name : names) columns.push_back({name, false});
    return columns;
}

std::vector<Cell> key_cells(const MeasurementKey& key) {
    return {key.model, key.dataset, key.subgroup, key.metric, key.definition, parameters_text(key)};
}

void add_end(std::vector<Cell>& cells, const Measurement& m) {
    cells.insert(cells.end(), {Count{m.n}, Count{m.left_out}, m.undefined, m.note});
}

}  // namespace

Table measurement_records(std::span<const ScoreReport> reports, std::span<const Measurement> more) {
    Table table;
    table.columns = texts({"model", "dataset", "subgroup", "metric", "definition", "parameters"});
    table.columns.push_back({"value"});
    append(table.columns, interval_columns());
    append(table.columns, {{"n"}, {"left_out"}, {"undefined", false}, {"note", false}});
    const auto add = [&](const Measurement& m) {
        std::vector<Cell> cells = key_cells(m.key);
        cells.push_back(exact(m.value));
        add_interval(cells, m.interval);
        add_end(cells, m);
        table.add(std::move(cells));
    };
    for (const ScoreReport& report : reports) {
        for (const Measurement& m : report.measurements) add(m);
    }
    for (const Measurement& m : more) add(m);
    return table;
}

Table class_records(std::span<const ScoreReport> reports) {
    Table table;
    table.columns = texts({"model", "dataset", "class", "name"});
    append(table.columns, {{"n"},
                           {"correct"},
                           {"accuracy"},
                           {"low"},
                           {"high"},
                           {"confidence"},
                           {"target_probability"}});
    for (const ScoreReport& report : reports) {
        for (const ClassResult& c : report.per_class) {
            const auto& interval = c.accuracy.interval;
            table.add({report.model, report.dataset, c.id, c.name, Count{c.accuracy.n},
                       Count{c.correct}, exact(c.accuracy.value),
                       interval ? exact(interval->low) : Cell(),
                       interval ? exact(interval->high) : Cell(), exact(c.confidence),
                       exact(c.target_probability)});
        }
    }
    return table;
}

Table confusion_records(std::span<const ScoreReport> reports) {
    Table table;
    table.columns =
        texts({"model", "dataset", "truth", "truth_name", "predicted", "predicted_name"});
    append(table.columns, {{"count"}, {"n"}, {"proportion"}});
    for (const ScoreReport& report : reports) {
        for (const Confusion& c : report.confusions) {
            const ClassResult& truth = report.per_class.at(static_cast<std::size_t>(c.truth));
            const ClassResult* predicted =
                c.predicted < 0 ? nullptr
                                : &report.per_class.at(static_cast<std::size_t>(c.predicted));
            const double proportion =
                static_cast<double>(c.count) / static_cast<double>(truth.accuracy.n);
            table.add({report.model, report.dataset, truth.id, truth.name,
                       predicted ? predicted->id : "", predicted ? predicted->name : "",
                       Count{c.count}, Count{truth.accuracy.n}, exact(proportion)});
        }
    }
    return table;
}

Table reliability_records(std::span<const ScoreReport> reports) {
    Table table;
    table.columns = texts({"model", "dataset"});
    append(table.columns, {{"bin_low"},
                           {"bin_high"},
                           {"n"},
                           {"correct"},
                           {"confidence"},
                           {"accuracy"},
                           {"low"},
                           {"high"}});
    for (const ScoreReport& report : reports) {
        for (const ReliabilityBin& bin : report.reliability) {
            const auto& interval = bin.accuracy.interval;
            table.add({report.model, report.dataset, exact(bin.low), exact(bin.high),
                       Count{bin.accuracy.n}, Count{bin.correct}, exact(bin.confidence),
                       exact(bin.accuracy.value), interval ? exact(interval->low) : Cell(),
                       interval ? exact(interval->high) : Cell()});
        }
    }
    return table;
}

Table across_records(std::span<const AcrossResult> results) {
    Table table;
    table.columns = texts({"model", "datasets", "subgroup", "metric", "definition", "parameters"});
    append(table.columns, {{"mean"}, {"standard_deviation"}, {"min"}, {"max"}});
    append(table.columns, interval_columns());
    append(table.columns,
           {{"dataset_count"}, {"n"}, {"left_out"}, {"undefined", false}, {"note", false}});
    for (const AcrossResult& r : results) {
        const Measurement& m = r.mean;
        std::vector<Cell> cells = key_cells(m.key);
        cells.push_back(exact(m.value));
        cells.push_back(exact(r.standard_deviation));
        cells.push_back(m.value ? exact(r.low) : Cell());
        cells.push_back(m.value ? exact(r.high) : Cell());
        add_interval(cells, m.interval);
        cells.emplace_back(Count{r.datasets.size()});
        add_end(cells, m);
        table.add(std::move(cells));
    }
    return table;
}

}  // namespace assay
