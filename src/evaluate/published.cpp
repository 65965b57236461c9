#include "assay/evaluate/published.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "assay/metric/metric.h"
#include "assay/report.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/finite_number.h"
#include "core/refuse.h"
#include "core/text.h"
#include "evaluate/described_evaluate.h"
#include "evaluate/measurement_text.h"

namespace assay {
namespace {

constexpr std::uint64_t max_table_bytes = std::uint64_t{64} << 20;

/// True if a column has the name of a metric whose values are proportions.
bool is_metric(const std::string& column) {
    try {
        return parse_metric(trimmed(column)).facts->unit == Unit::proportion;
    } catch (const Error&) {
        return false;
    }
}

/// timm's columns for the settings of a model's run.
constexpr std::string_view setting_columns[] = {"img_size", "crop_pct", "interpolation"};

double value_in(const CsvReader& reader, std::size_t column) {
    const std::string_view cell = trimmed(reader[column]);
    const std::optional<double> value = finite_number(cell);
    if (!value || *value < 0 || *value > 100)
        throw reader.error(fmt::format("{} is `{}`; allowed: a number from 0 to 100",
                                       trimmed(reader.columns()[column]), shortened(cell)));
    return *value;
}

/// Names in the table for which the model's name may be an abbreviation: "resnet50" for
/// "resnet50.a1_in1k".
std::string longer_names(const PublishedTable& table, const std::string& model) {
    std::set<std::string> names;
    for (const PublishedTable::Row& row : table.rows) {
        if (row.model.starts_with(model + ".")) names.insert(row.model);
    }
    if (names.empty()) return "";
    constexpr std::size_t most = 3;
    std::string text;
    std::size_t shown = 0;
    for (const std::string& name : names) {
        if (shown++ < most) text += (text.empty() ? "`" : ", `") + name + "`";
    }
    return fmt::format(
        "; {} in the table begin like it: {}{}; to choose one, import or predict with --name",
        names.size(), text, names.size() > most ? ", ..." : "");
}

}  // namespace

PublishedTable parse_published(std::string_view text, const std::string& source,
                               const std::string& metric) {
    PublishedTable table;
    table.source = source;
    CsvReader reader(text, source);
    const std::size_t model = reader.column({"model"});
    std::vector<std::size_t> columns, settings;
    for (std::size_t c = 0; c < reader.columns().size(); ++c) {
        const std::string name(trimmed(reader.columns()[c]));
        if (std::ranges::find(setting_columns, name) != std::end(setting_columns))
            settings.push_back(c);
        if (metric.empty() ? !is_metric(name) : name != "top1") continue;
        columns.push_back(c);
        table.metrics.push_back(metric.empty() ? name : metric);
    }
    if (columns.empty())
        refuse(
            fmt::format("{}: no column is named {}", source,
                        metric.empty() ? "as a metric of proportions (top1, top5, ...)" : "top1"));
    std::set<std::pair<std::string, std::string>> known;
    double most = 0;
    while (reader.next()) {
        PublishedTable::Row row{std::string(trimmed(reader[model])), "", {}};
        if (row.model.empty()) throw reader.error("a row without a model's name");
        for (const std::size_t c : settings)
            row.setting += fmt::format("{}{} {}", row.setting.empty() ? "" : ", ",
                                       trimmed(reader.columns()[c]), trimmed(reader[c]));
        if (!known.emplace(row.model, row.setting).second)
            throw reader.error(fmt::format("the model `{}` appears twice{}{}", shortened(row.model),
                                           row.setting.empty() ? "" : " with ", row.setting));
        for (const std::size_t c : columns) {
            row.values.push_back(value_in(reader, c));
            most = std::max(most, row.values.back());
        }
        table.rows.push_back(std::move(row));
    }
    if (table.rows.empty()) refuse(fmt::format("{}: no model in the table", source));
    if (most > 1) {
        for (PublishedTable::Row& row : table.rows) {
            for (double& value : row.values) value /= 100;
        }
    }
    return table;
}

PublishedTable read_published(const std::string& file_or_metric) {
    const std::size_t sign = file_or_metric.find('=');
    const bool named = sign != std::string::npos && !std::filesystem::exists(file_or_metric);
    const std::string metric = named ? file_or_metric.substr(0, sign) : "";
    const std::filesystem::path file = named ? file_or_metric.substr(sign + 1) : file_or_metric;
    if (named) (void)parse_metric(metric);  // throws if no metric has that name
    return parse_published(read_text(file, max_table_bytes), file.filename().string(), metric);
}

std::vector<PublishedValue> beside_published(std::span<const ScoreReport> reports,
                                             const PublishedTable& table,
                                             std::vector<std::string>& warnings) {
    std::vector<PublishedValue> values;
    std::vector<MetricRequest> requests;
    for (const std::string& metric : table.metrics) requests.push_back(parse_metric(metric));
    std::set<std::string> absent;
    bool any = false;
    for (const ScoreReport& report : reports) {
        bool found = false;
        for (const PublishedTable::Row& row : table.rows) {
            if (row.model != report.model) continue;
            found = true;
            for (std::size_t i = 0; i < requests.size(); ++i) {
                for (const Measurement& m : report.measurements) {
                    if (!m.key.subgroup.empty() ||
                        !requests[i].is_of(m.key.definition, m.key.parameters))
                        continue;
                    values.push_back({report.model, report.dataset, metric_text(m.key), row.setting,
                                      table.source, row.values[i], m});
                }
            }
        }
        any = any || found;
        if (!found && absent.insert(report.model).second)
            warnings.push_back(fmt::format("{} has no model `{}`{}", table.source, report.model,
                                           longer_names(table, report.model)));
    }
    if (values.empty() && any)
        throw Error(ErrorCode::usage, fmt::format("{} has {}, but none of these was measured",
                                                  table.source, fmt::join(table.metrics, ", ")));
    if (values.empty() && !absent.empty())
        throw Error(ErrorCode::usage, warnings.back() + "; it has none of the scored models");
    return values;
}

std::string_view place_of_published(const PublishedValue& value) {
    if (!value.measured.interval) return "";
    // Tables have three digits of a percentage. So a value that rounds to an end is not outside.
    constexpr double rounding = 5e-6;
    if (value.published < value.measured.interval->low - rounding) return "below";
    return value.published > value.measured.interval->high + rounding ? "above" : "inside";
}

ResultType result_type(ResultOf<PublishedValue>) {
    static constexpr auto rows = describe_result<PublishedValue>(
        {.name = "PublishedValue", .help = "A published value of a model and the measured one"},
        {
            part<&PublishedValue::model>({}),
            part<&PublishedValue::dataset>({}),
            part<&PublishedValue::metric>({}),
            part<&PublishedValue::setting>({}),
            part<&PublishedValue::source>({.help = "The table's file"}),
            part<&PublishedValue::published>({}),
            part<&PublishedValue::measured>({}),
            part({.help = "Whether the published value is below, within or above the interval of "
                          "the measured one",
                  .name = "published_is",
                  .script = R"("inside" | "above" | "below" | null)"},
                 [](const PublishedValue& value) {
                     const std::string_view place = place_of_published(value);
                     return place.empty() ? std::optional<std::string_view>() : place;
                 }),
        });
    return rows;
}

nlohmann::json to_json(const PublishedValue& value) {
    return json_of(value);
}

std::vector<Table> published_tables(std::span<const PublishedValue> values) {
    using Show = Column::Show;
    std::vector<Table> tables;
    std::string last;
    for (const PublishedValue& value : values) {
        if (tables.empty() || value.source != last) {
            last = value.source;
            Table& table = tables.emplace_back();
            table.title = "Beside published values: " + value.source;
            table.columns = {{"model", false},       {"data set", false},
                             {"metric", false},      {"published as", false},
                             {"published %"},        {"measured %", true, Show::value_and_half},
                             {"difference"},         {"interval", true, Show::interval},
                             {"published is", false}};
            table.notes.emplace_back(
                "the intervals treat the images as a sample. On the same images, any difference "
                "beyond the last digit comes from the weights, the preprocessing or the labels");
        }
        std::vector<Cell> cells{value.model,
                                value.dataset,
                                value.metric,
                                value.setting,
                                Number{value.published, Unit::proportion, 3},
                                value.measured,
                                Cell(),
                                value.measured,
                                std::string(place_of_published(value))};
        constexpr std::size_t difference = 6;
        if (value.measured.value)
            cells[difference] = Number{.value = *value.measured.value - value.published,
                                       .unit = Unit::proportion,
                                       .digits = 3,
                                       .sign = true};
        tables.back().add(std::move(cells));
    }
    return tables;
}

}  // namespace assay
