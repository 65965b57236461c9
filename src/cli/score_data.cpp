// `assay score` for programs: JSON and CSV.
#include <fmt/format.h>

#include "cli/score_report.h"

namespace assay::cli {
namespace {

using nlohmann::json;

std::string exact(double x) {
    return fmt::format("{}", x);
}  // shortest text that reads back the same

std::string exact(const std::optional<double>& x) {
    return x ? exact(*x) : "";
}

std::string parameters_text(const MeasurementKey& key) {
    std::string text;
    for (const auto& [name, value] : key.parameters)
        text += (text.empty() ? "" : " ") + name + "=" + value;
    return text;
}

}  // namespace

Table measurement_csv(const std::vector<ScoreReport>& reports) {
    Table table({{"model"},
                 {"dataset"},
                 {"subgroup"},
                 {"metric"},
                 {"definition"},
                 {"parameters"},
                 {"value"},
                 {"low"},
                 {"high"},
                 {"level"},
                 {"method"},
                 {"n"},
                 {"left_out"},
                 {"undefined"},
                 {"note"}});
    for (const ScoreReport& report : reports) {
        for (const Measurement& m : report.measurements) {
            table.add({m.key.model, m.key.dataset, m.key.subgroup, m.key.metric, m.key.definition,
                       parameters_text(m.key), m.value ? exact(*m.value) : "",
                       m.interval ? exact(m.interval->low) : "",
                       m.interval ? exact(m.interval->high) : "",
                       m.interval ? exact(m.interval->level) : "",
                       m.interval ? m.interval->method : "", std::to_string(m.n),
                       std::to_string(m.left_out), m.undefined, m.note});
        }
    }
    return table;
}

Table class_csv(const std::vector<ScoreReport>& reports) {
    Table table({{"model"},
                 {"dataset"},
                 {"class"},
                 {"name"},
                 {"n"},
                 {"correct"},
                 {"accuracy"},
                 {"low"},
                 {"high"},
                 {"confidence"},
                 {"target_probability"}});
    for (const ScoreReport& report : reports) {
        for (const ClassResult& c : report.per_class) {
            table.add({report.model, report.dataset, c.id, c.name, std::to_string(c.n),
                       std::to_string(c.correct), c.accuracy ? exact(*c.accuracy) : "",
                       c.interval ? exact(c.interval->low) : "",
                       c.interval ? exact(c.interval->high) : "",
                       c.confidence ? exact(*c.confidence) : "",
                       c.target_probability ? exact(*c.target_probability) : ""});
        }
    }
    return table;
}

Table across_csv(const std::vector<AcrossResult>& results) {
    Table table({{"model"},
                 {"datasets"},
                 {"subgroup"},
                 {"metric"},
                 {"definition"},
                 {"parameters"},
                 {"mean"},
                 {"standard_deviation"},
                 {"min"},
                 {"max"},
                 {"low"},
                 {"high"},
                 {"level"},
                 {"method"},
                 {"dataset_count"},
                 {"n"},
                 {"left_out"},
                 {"undefined"},
                 {"note"}});
    for (const AcrossResult& r : results) {
        const Measurement& m = r.mean;
        const auto& i = m.interval;
        table.add({m.key.model, m.key.dataset, m.key.subgroup, m.key.metric, m.key.definition,
                   parameters_text(m.key), exact(m.value), exact(r.deviation),
                   m.value ? exact(r.low) : "", m.value ? exact(r.high) : "",
                   i ? exact(i->low) : "", i ? exact(i->high) : "", i ? exact(i->level) : "",
                   i ? i->method : "", std::to_string(r.datasets.size()), std::to_string(m.n),
                   std::to_string(m.left_out), m.undefined, m.note});
    }
    return table;
}

json reports_json(const std::vector<ScoreReport>& reports, const std::vector<GateResult>& gates,
                  const Shown& shown) {
    json out = {{"schema", "assay.scores/1"},
                {"measurements", json::array()},
                {"stores", json::array()},
                {"gates", json::array()}};
    for (const ScoreReport& report : reports) {
        json store = to_json(report);
        for (auto& m : store.at("measurements")) out["measurements"].push_back(std::move(m));
        store.erase("measurements");
        if (!shown.per_class) store.erase("per_class");
        if (shown.confusions == 0) store.erase("confusions");
        out["stores"].push_back(std::move(store));
    }
    for (const GateResult& gate : gates) out["gates"].push_back(to_json(gate));
    return out;
}

}  // namespace assay::cli
