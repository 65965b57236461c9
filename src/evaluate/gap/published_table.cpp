// Reads published results as a table of models.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "assay/error.h"
#include "assay/evaluate/gap.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/finite_number.h"
#include "core/text.h"
#include "evaluate/gap/assemble.h"
#include "store/same_models.h"

namespace assay {
namespace {

constexpr std::size_t most_models = 100'000;
constexpr std::uint64_t largest_file = std::uint64_t{256} << 20;

/// The destination of a column's values.
struct Place {
    std::size_t column = 0;
    bool subgroup = false;
    std::size_t index = 0;  ///< metric, or place among GapTable::subgroups
    std::size_t set = 0;
    bool also = false;  ///< if true, `set` is a place in GapTable::also
};

// Returns ("top1", 0) for "top1_v1".
bool split_name(std::string_view name, std::string_view& stem, std::size_t& set) {
    for (const auto& [ending, number] : {std::pair{"_v1", 0}, {"_v2", 1}}) {
        if (!name.ends_with(ending)) continue;
        stem = name.substr(0, name.size() - 3);
        set = static_cast<std::size_t>(number);
        return true;
    }
    return false;
}

/// Returns ("asma", "patchml") for "asma_patchml".
std::optional<std::pair<GapMetric, std::string>> further(std::string_view name) {
    const std::size_t end = name.find('_');
    if (end == std::string_view::npos || end + 1 == name.size()) return std::nullopt;
    const std::string_view set = name.substr(end + 1);
    // Columns of Assay's own csv that have another meaning.
    if (set == "gap" || set.starts_with("v1_") || set.starts_with("v2_") ||
        set.starts_with("rank_") || set.ends_with("_low") || set.ends_with("_high"))
        return std::nullopt;
    for (const GapMetric metric : gap_metrics) {
        if (name.substr(0, end) == name_of(metric)) return std::pair(metric, std::string(set));
    }
    return std::nullopt;
}

bool subgroup_of(std::string_view stem, std::uint32_t& labels) {
    std::uint64_t number = 0;
    constexpr std::string_view word = "subgroup";
    if (!stem.starts_with(word) || !parse_number(stem.substr(word.size()), number)) return false;
    if (number == 0 || number > 1'000'000) return false;
    labels = static_cast<std::uint32_t>(number);
    return true;
}

std::vector<Place> places_of(const CsvReader& csv, GapTable& table, std::size_t model_column,
                             const std::string& source) {
    std::vector<Place> places;
    std::vector<std::pair<std::uint32_t, Place>> subgroups;
    for (std::size_t c = 0; c < csv.columns().size(); ++c) {
        if (c == model_column) continue;
        std::string name(trimmed(csv.columns()[c]));
        std::transform(name.begin(), name.end(), name.begin(), lower);
        std::string_view stem;
        std::size_t set = 0;
        std::uint32_t labels = 0;
        const bool paired = split_name(name, stem, set);
        const auto metric = std::find_if(gap_metrics.begin(), gap_metrics.end(),
                                         [&](GapMetric m) { return paired && stem == name_of(m); });
        if (metric != gap_metrics.end()) {
            const auto m = static_cast<std::size_t>(*metric);
            if (table.has[m][set])
                throw Error(ErrorCode::bad_input,
                            fmt::format("{}: two columns named {}", source, name));
            table.has[m][set] = true;
            places.push_back({c, false, m, set});
        } else if (paired && subgroup_of(stem, labels)) {
            for (const auto& [other, place] : subgroups) {
                if (other == labels && place.set == set)
                    throw Error(ErrorCode::bad_input,
                                fmt::format("{}: two columns named {}", source, name));
            }
            if (subgroups.size() >= 128)
                throw Error(ErrorCode::bad_input,
                            fmt::format("{}: more than 64 subgroups", source));
            subgroups.push_back({labels, {c, true, 0, set}});
            table.subgroups.push_back(labels);
        } else if (const auto other = further(name)) {
            const auto known = std::ranges::find(table.also, other->second);
            const auto place = static_cast<std::size_t>(known - table.also.begin());
            if (known == table.also.end()) table.also.push_back(other->second);
            const auto m = static_cast<std::size_t>(other->first);
            if (std::ranges::any_of(places, [&](const Place& p) {
                    return p.also && p.index == m && p.set == place;
                }))
                throw Error(ErrorCode::bad_input,
                            fmt::format("{}: two columns named {}", source, name));
            places.push_back({c, false, m, place, true});
        } else {
            table.ignored.push_back(shortened(csv.columns()[c]));
        }
    }
    std::sort(table.subgroups.begin(), table.subgroups.end());
    table.subgroups.erase(std::unique(table.subgroups.begin(), table.subgroups.end()),
                          table.subgroups.end());
    for (auto& [labels, place] : subgroups) {
        const auto found = std::lower_bound(table.subgroups.begin(), table.subgroups.end(), labels);
        place.index = static_cast<std::size_t>(found - table.subgroups.begin());
        places.push_back(place);
    }
    const bool any =
        std::any_of(table.has.begin(), table.has.end(), [](const auto& h) { return h[0] && h[1]; });
    if (!any) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: no metric with both columns; needed is top1_v1 and top1_v2, "
                                "or the same of real or "
                                "asma; columns: {}",
                                source,
                                fmt::join(csv.columns().begin(),
                                          csv.columns().begin() +
                                              static_cast<std::ptrdiff_t>(
                                                  std::min<std::size_t>(12, csv.columns().size())),
                                          ", ")));
    }
    return places;
}

/// The models' names, row by row. No name may be empty or appear twice.
class ModelColumn {
public:
    explicit ModelColumn(const CsvReader& csv)
        : column_(csv.column({"model", "name", "architecture"})) {}
    std::size_t column() const { return column_; }
    std::string next(const CsvReader& csv) {
        std::string name(trimmed(csv[column_]));
        if (name.empty()) throw csv.error("a model without a name");
        const auto [earlier, fresh] = line_of_.emplace(name, csv.line());
        if (!fresh)
            throw csv.error(
                fmt::format("model `{}` is already on line {}", shortened(name), earlier->second));
        if (line_of_.size() > most_models)
            throw csv.error(fmt::format("more than {} models", most_models));
        return name;
    }

private:
    std::size_t column_;
    std::unordered_map<std::string, std::size_t> line_of_;
};

/// Of the rows for groups of images in Assay's own csv.
bool is_group(std::string_view subgroup) {
    return subgroup == "largest gap" || subgroup.find('=') != std::string_view::npos;
}

// A finite, non-negative number of at most 100; no value for an empty cell. A percent sign anywhere
// sets the unit of all cells.
Maybe cell(const CsvReader& csv, std::size_t column, TableUnit& unit) {
    std::string_view text = trimmed(csv[column]);
    if (text.empty() || text == "-" || text == "NA") return std::nullopt;
    if (text.ends_with('%')) {
        if (unit == TableUnit::proportion) {
            throw csv.error(
                fmt::format("column {}: `{}` is in percent, but --unit says proportions",
                            csv.columns()[column], shortened(csv[column])));
        }
        unit = TableUnit::percent;
        text = trimmed(text.substr(0, text.size() - 1));
    }
    const std::optional<double> found = finite_number(text);
    if (!found) {
        throw csv.error(fmt::format("column {}: `{}` is not a number", csv.columns()[column],
                                    shortened(csv[column])));
    }
    const double value = *found;
    if (value < 0 || value > 100) {
        throw csv.error(
            fmt::format("column {}: {} is outside 0 to 100", csv.columns()[column], value));
    }
    return value;
}

/// Checks a table that is in percent according to its other values. Refuses a column of
/// proportions, or a cell that would fit its column as one (0.76 among 61.2 and 80.1).
void refuse_mixed(const GapTable& table, const std::string& source) {
    const auto check = [&](auto&& value_of, const std::string& column) {
        const GapTable::Row* small = nullptr;
        double most = 0, least_percent = 101;
        for (const GapTable::Row& row : table.rows) {
            const Maybe value = value_of(row);
            if (!value || *value == 0) continue;
            if (*value > 1) {
                least_percent = std::min(least_percent, *value);
            } else if (*value > most) {
                most = *value;
                small = &row;
            }
        }
        if (small == nullptr) return;
        if (least_percent <= 100 && 100 * most < least_percent / 2) return;
        throw Error(
            ErrorCode::bad_input,
            fmt::format("{}: `{}` has {} in the column {}, but other cells are above 1: are "
                        "proportions and percent mixed? If all are in percent, pass --unit percent",
                        source, shortened(small->model), most, column));
    };
    for (const GapMetric m : gap_metrics) {
        for (std::size_t set = 0; set < 2; ++set) {
            check(
                [&](const GapTable::Row& row) {
                    return row.metrics[static_cast<std::size_t>(m)][set];
                },
                fmt::format("{}_v{}", name_of(m), set + 1));
        }
    }
    for (std::size_t k = 0; k < table.subgroups.size(); ++k) {
        for (std::size_t set = 0; set < 2; ++set) {
            check([&](const GapTable::Row& row) { return row.subgroups[k][set]; },
                  fmt::format("subgroup{}_v{}", table.subgroups[k], set + 1));
        }
    }
    for (std::size_t k = 0; k < table.also.size(); ++k) {
        for (const GapMetric m : gap_metrics) {
            check(
                [&](const GapTable::Row& row) { return row.also[k][static_cast<std::size_t>(m)]; },
                fmt::format("{} of {}", name_of(m), table.also[k]));
        }
    }
}

void to_proportions(GapTable& table, TableUnit unit, const std::string& source) {
    const auto each = [&](auto&& visit) {
        for (GapTable::Row& row : table.rows) {
            for (auto& pair : row.metrics) {
                for (Maybe& value : pair) {
                    if (value) visit(row, *value);
                }
            }
            for (auto& pair : row.subgroups) {
                for (Maybe& value : pair) {
                    if (value) visit(row, *value);
                }
            }
            for (auto& metrics : row.also) {
                for (Maybe& value : metrics) {
                    if (value) visit(row, *value);
                }
            }
        }
    };
    bool above = false;
    each([&](const GapTable::Row& row, double value) {
        above = above || value > 1;
        if (unit == TableUnit::proportion && value > 1) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{}: `{}` has {}, but a proportion is at most 1; if the table "
                                    "is in percent, pass --unit percent",
                                    source, shortened(row.model), value));
        }
    });
    if (unit == TableUnit::automatic && above) refuse_mixed(table, source);
    table.percent = unit == TableUnit::automatic ? above : unit == TableUnit::percent;
    if (table.percent) each([](const GapTable::Row&, double& value) { value /= 100; });
}

}  // namespace

GapTable parse_gap_table(std::string_view text, const std::string& source, TableUnit unit) {
    GapTable table;
    CsvReader csv(text, source);
    ModelColumn models(csv);
    const std::vector<Place> places = places_of(csv, table, models.column(), source);
    const std::optional<std::size_t> group = csv.find_column({"subgroup"});
    while (csv.next()) {
        if (group && is_group(csv[*group])) continue;
        GapTable::Row row;
        row.model = models.next(csv);
        row.subgroups.resize(table.subgroups.size());
        row.also.resize(table.also.size());
        for (const Place& p : places) {
            (p.also       ? row.also[p.set][p.index]
             : p.subgroup ? row.subgroups[p.index][p.set]
                          : row.metrics[p.index][p.set]) = cell(csv, p.column, unit);
        }
        table.rows.push_back(std::move(row));
    }
    if (table.rows.empty())
        throw Error(ErrorCode::bad_input, source + ": the file has a header but no model");
    to_proportions(table, unit, source);
    return table;
}

GapTable read_gap_table(const std::filesystem::path& path, TableUnit unit) {
    return parse_gap_table(read_text(path, largest_file), path.filename().string(), unit);
}

GapAlso read_also_table(const std::filesystem::path& path, const GapReport& report,
                        TableUnit unit) {
    const std::string text = read_text(path, largest_file), source = path.filename().string();
    CsvReader csv(text, source);
    ModelColumn models(csv);
    GapTable table;
    table.also = {path.stem().string()};
    std::array<std::optional<std::size_t>, 3> columns;
    for (std::size_t m = 0; m < gap_metrics.size(); ++m)
        columns[m] = csv.find_column({name_of(gap_metrics[m])});
    if (!columns[0] && !columns[1] && !columns[2])
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: none of the columns top1, real and asma", source));
    while (csv.next()) {
        GapTable::Row& row = table.rows.emplace_back();
        row.model = models.next(csv);
        row.also.resize(1);
        for (std::size_t m = 0; m < gap_metrics.size(); ++m) {
            if (columns[m]) row.also[0][m] = cell(csv, *columns[m], unit);
        }
    }
    to_proportions(table, unit, source);
    std::vector<std::string> own, further;
    for (const GapModel& model : report.models) own.push_back(model.name);
    for (const GapTable::Row& row : table.rows) further.push_back(row.model);
    require_shared(store::shared_models(own, further), report.sets[0].name, source);
    return also_of_table(table, 0, report);
}

}  // namespace assay
