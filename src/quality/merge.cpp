#include "assay/quality/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "assay/error.h"
#include "core/refuse.h"
#include "core/statistics.h"
#include "core/text.h"
#include "quality/cell_notes.h"
#include "quality/model_labels.h"
#include "quality/table_values.h"
#include "store/same_models.h"

namespace assay::quality {
namespace {

using Key = std::vector<std::string>;

/// A value that differs between two rows.
struct Contradiction {
    std::string what;
    std::string earlier, later;
};

/// Joins texts as "a; b", each once.
std::string both_notes(const std::string& earlier, const std::string& later) {
    if (later.empty() || earlier.find(later) != std::string::npos) return earlier;
    return earlier.empty() ? later : earlier + "; " + later;
}

std::string definition_of(const QualityCell& cell) {
    return cell.definition.empty() ? "published" : cell.definition;
}

std::string value_text(const QualityCell& cell) {
    if (!cell.value) return "not measured";
    return cell.standard_error ? fmt::format("{} (error {})", *cell.value, *cell.standard_error)
                               : fmt::format("{}", *cell.value);
}

/// The later cell with parts that only the earlier cell has, and the list of parts that differ.
QualityCell joined_cell(const QualityCell& earlier, QualityCell later, std::string_view dimension,
                        std::vector<Contradiction>& contradictions) {
    if (!later.value && (earlier.value || later == QualityCell())) return earlier;
    if (!earlier.value) return later;
    const auto differ = [&](std::string_view part, std::string a, std::string b) {
        contradictions.push_back(
            {fmt::format("{}{}", dimension, part), std::move(a), std::move(b)});
    };
    if (*earlier.value != *later.value) {
        differ("", value_text(earlier), value_text(later));
        return later;
    }
    if (definition_of(earlier) != definition_of(later)) {
        differ(" (definition)", definition_of(earlier), definition_of(later));
        return later;
    }
    const std::size_t before = contradictions.size();
    if (earlier.standard_error && later.standard_error &&
        *earlier.standard_error != *later.standard_error) {
        differ(" (standard error)", fmt::format("{}", *earlier.standard_error),
               fmt::format("{}", *later.standard_error));
    }
    if (earlier.n > 0 && later.n > 0 && earlier.n != later.n)
        differ(" (images)", std::to_string(earlier.n), std::to_string(later.n));
    if (!earlier.shares.empty() && !later.shares.empty() && earlier.shares != later.shares)
        differ(" (shares of images)", "some", "others");
    if (contradictions.size() > before) return later;
    if (!later.standard_error) later.standard_error = earlier.standard_error;
    if (later.shares.empty()) later.shares = earlier.shares;
    if (later.n == 0) later.n = earlier.n;
    later.note = both_notes(earlier.note, later.note);
    return later;
}

struct Joined {
    QualityModel model;
    std::vector<Contradiction> contradictions;
};

Joined join(const QualityModel& earlier, const QualityModel& later,
            const std::vector<std::string>& tags) {
    Joined out{later, {}};
    const bool other_file = !store::same_model_file(earlier.file_hash, later.file_hash);
    if (other_file) out.contradictions.push_back({"file hash", earlier.file_hash, later.file_hash});
    if (later.file_hash.empty()) out.model.file_hash = earlier.file_hash;
    for (std::size_t t = 0; t < tags.size(); ++t) {
        if (later.tags[t].empty()) out.model.tags[t] = earlier.tags[t];
        if (!earlier.tags[t].empty() && !later.tags[t].empty() && earlier.tags[t] != later.tags[t])
            out.contradictions.push_back({tags[t], earlier.tags[t], later.tags[t]});
    }
    out.model.note = both_notes(earlier.note, later.note);
    for (const DimensionFacts& facts : dimension_facts()) {
        QualityCell& cell = out.model.cells[static_cast<std::size_t>(facts.dimension)];
        const QualityCell& before = earlier.cell(facts.dimension);
        if (!other_file) {
            cell = joined_cell(before, later.cell(facts.dimension), facts.name, out.contradictions);
        } else if (before.value && before != cell) {
            out.contradictions.push_back(
                {std::string(facts.name), value_text(before), value_text(cell)});
        }
    }
    return out;
}

/// The published table repeats names, but its rows are known.
bool is_published_row(const QualityModel& model) {
    using Values = PerDimension<std::optional<double>>;
    const auto values_of = [](const QualityModel& row) {
        Values values;
        for (std::size_t d = 0; d < dimension_count; ++d) values[d] = row.cells[d].value;
        return values;
    };
    static const auto known = [&] {
        std::set<std::pair<std::string, Values>> rows;
        for (const QualityModel& row : published_models().models)
            rows.emplace(row.name, values_of(row));
        return rows;
    }();
    return known.contains({model.name, values_of(model)});
}

bool equal_rows(const QualityModel& a, const QualityModel& b) {
    return a.name == b.name && a.file_hash == b.file_hash && a.tags == b.tags && a.note == b.note &&
           a.cells == b.cells;
}

class Merger {
public:
    Merger(const std::vector<QualityTable>& tables, const MergeOptions& options)
        : tables_(tables), options_(options) {
        if (tables.empty()) throw Error(ErrorCode::usage, "there is no table to merge: name one");
        if (options.replace && trimmed(*options.replace).empty())
            throw Error(ErrorCode::usage,
                        "--replace needs a note that says why cells are replaced; it is empty");
        result_.table.source = tables.front().source;
        for (const QualityTable& table : tables) {
            for (const std::string& tag : table.tags) {
                if (place_of(tag)) continue;
                if (result_.table.tags.size() == most_table_tags) {
                    refuse(
                        fmt::format("{}: with its tag `{}` the tables have more than {} tags "
                                    "(columns that are not dimensions), which is the limit",
                                    table.source, shortened(tag), most_table_tags));
                }
                result_.table.tags.push_back(tag);
            }
        }
        for (const std::string& tag : options.key) {
            const auto place = place_of(tag);
            if (!place) {
                throw Error(
                    ErrorCode::usage,
                    fmt::format("no table has the tag `{}` of the key; there are {}",
                                shortened(tag),
                                result_.table.tags.empty()
                                    ? "none"
                                    : fmt::format("{}", fmt::join(result_.table.tags, ", "))));
            }
            key_tags_.push_back(*place);
        }
    }

    MergeResult merge() {
        for (table_ = 0; table_ < tables_.size(); ++table_) add_table(tables_[table_]);
        label_models(result_.table);
        std::vector<std::size_t> all(result_.table.models.size());
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
        result_.warnings = other_images(result_.table, all, equal_weights());
        return std::move(result_);
    }

private:
    std::optional<std::size_t> place_of(std::string_view tag) const {
        return find_tag(result_.table.tags, tag);
    }
    Key key_of(const QualityModel& model) const {
        Key key = {model.name};
        for (const std::size_t t : key_tags_) key.push_back(model.tags[t]);
        return key;
    }
    static std::string key_text(const Key& key) {
        std::string text = shortened(key[0]);
        for (std::size_t k = 1; k < key.size(); ++k)
            text += fmt::format("{}{}", k == 1 ? "; " : ", ", shortened(key[k]));
        return text;
    }
    std::string what_to_do() const {
        return result_.table.tags.empty()
                   ? "rename them"
                   : fmt::format(
                         "name a tag in which they differ (the key; allowed: {}), or rename them",
                         fmt::join(result_.table.tags, ", "));
    }

    /// The model with the tags of all tables; `places` has the index of each of its own tags.
    QualityModel widened(const QualityTable& table, std::size_t row,
                         const std::vector<std::size_t>& places) const {
        QualityModel model = table.models[row];
        model.label.clear();
        model.tags.assign(result_.table.tags.size(), "");
        for (std::size_t t = 0; t < table.tags.size(); ++t)
            model.tags[places[t]] = table.models[row].tags[t];
        return model;
    }

    void add_table(const QualityTable& table) {
        std::map<Key, std::vector<std::size_t>> own;
        std::vector<QualityModel> rows;
        std::vector<std::size_t> places;
        for (const std::string& tag : table.tags) places.push_back(place_of(tag).value());
        for (std::size_t r = 0; r < table.models.size(); ++r) {
            rows.push_back(widened(table, r, places));
            std::vector<std::size_t>& same = own[key_of(rows.back())];
            const bool again = std::ranges::any_of(
                same, [&](std::size_t other) { return equal_rows(rows[other], rows.back()); });
            if (!again) same.push_back(r);
        }
        for (const auto& [key, same] : own) {
            if (same.size() < 2) continue;
            if (std::ranges::all_of(same, [&](auto r) { return is_published_row(rows[r]); }))
                continue;
            std::vector<std::size_t> numbers;
            for (const std::size_t r : same) {
                if (numbers.size() < 5) numbers.push_back(r + 1);
            }
            refuse(fmt::format("{} has `{}` {} times (rows {}{}); {}", table.source, key_text(key),
                               same.size(), fmt::join(numbers, ", "),
                               same.size() > numbers.size() ? ", ..." : "", what_to_do()));
        }
        const std::size_t before = result_.table.models.size();
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const Key key = key_of(rows[r]);
            const std::vector<std::size_t>& same = own.at(key);
            if (!std::ranges::binary_search(same, r)) {  // the row appears twice in this table
                ++result_.equal;
                continue;
            }
            add_row(std::move(rows[r]), key, before, same.size() > 1);
        }
    }

    void add_row(QualityModel row, const Key& key, std::size_t before, bool repeated) {
        std::vector<std::size_t>& known = rows_of_[key];
        std::vector<std::size_t> earlier;  // rows of tables before this one
        for (const std::size_t k : known) {
            if (k < before) earlier.push_back(k);
        }
        for (const std::size_t k : earlier) {
            if (equal_rows(result_.table.models[k], row)) {
                ++result_.equal;
                return;
            }
        }
        if (earlier.empty()) {
            known.push_back(result_.table.models.size());
            from_.push_back(table_);
            result_.table.models.push_back(std::move(row));
            result_.added += table_ > 0 ? 1 : 0;
            return;
        }
        if (repeated || earlier.size() > 1) {
            refuse(
                fmt::format("`{}` of {} matches several rows of {}; {}", key_text(key),
                            repeated ? tables_[from_[earlier[0]]].source : tables_[table_].source,
                            repeated ? tables_[table_].source : tables_[from_[earlier[0]]].source,
                            what_to_do()));
        }
        join_row(earlier[0], row);
    }

    void join_row(std::size_t place, const QualityModel& row) {
        QualityModel& there = result_.table.models[place];
        Joined joined = join(there, row, result_.table.tags);
        if (joined.contradictions.empty()) {
            if (equal_rows(there, joined.model)) {
                ++result_.equal;
                return;
            }
            ++result_.completed;
        } else {
            if (!options_.replace) refuse_contradictions(place, row, joined.contradictions);
            std::vector<std::string> was;
            for (const Contradiction& c : joined.contradictions)
                was.push_back(fmt::format("{} {}", c.what, c.earlier));
            joined.model.note = both_notes(
                joined.model.note,
                fmt::format("{} (was: {})", trimmed(*options_.replace), fmt::join(was, ", ")));
            ++result_.replaced;
        }
        there = std::move(joined.model);
        from_[place] = table_;
    }

    [[noreturn]] void refuse_contradictions(std::size_t place, const QualityModel& row,
                                            const std::vector<Contradiction>& all) const {
        constexpr std::size_t most_shown = 5;
        std::vector<std::string> shown;
        for (const Contradiction& c : all) {
            if (shown.size() == most_shown) {
                shown.push_back(fmt::format("and {} more", all.size() - most_shown));
                break;
            }
            shown.push_back(fmt::format("{} is {} in {} but {} in {}", c.what, shortened(c.earlier),
                                        tables_[from_[place]].source, shortened(c.later),
                                        tables_[table_].source));
        }
        refuse(
            fmt::format("`{}`: {}; give the rows different names or tags in --key, or use the "
                        "later one with --replace NOTE",
                        key_text(key_of(row)), fmt::join(shown, "; ")));
    }

    const std::vector<QualityTable>& tables_;
    const MergeOptions& options_;
    MergeResult result_;
    std::vector<std::size_t> key_tags_;
    std::size_t table_ = 0;
    std::map<Key, std::vector<std::size_t>> rows_of_;
    std::vector<std::size_t> from_;  ///< for each row, the last table that it took data from
};

Estimate estimate_of(const QualityCell& cell, Dimension dimension) {
    Estimate out;
    out.value = cell.value;
    out.undefined = cell.value ? "" : cell.undefined.empty() ? "not measured" : cell.undefined;
    out.unit = Unit::number;  // as in the table of quality measure
    out.n = cell.n;
    out.standard_error = cell.standard_error;
    if (cell.value && cell.standard_error > 0) {
        out.interval = symmetric_interval(*cell.value, *cell.standard_error, 0.95, "normal");
        const DimensionFacts& facts = facts_of(dimension);
        out.interval->low = std::max(out.interval->low, facts.low);
        out.interval->high = std::min(out.interval->high, facts.high);
    }
    return out;
}

}  // namespace

MergeResult merge_tables(const std::vector<QualityTable>& tables, const MergeOptions& options) {
    return Merger(tables, options).merge();
}

Report report_of(const MergeResult& result) {
    Report report;
    report.title = "Table of quality dimensions";
    report.warnings = result.warnings;
    assay::Table table;
    table.title = how_many(result.table.models.size(), "model");
    table.columns = {{.name = "model", .numbers = false}};
    for (const DimensionFacts& facts : dimension_facts())
        table.columns.push_back(
            {.name = std::string(facts.title), .show = Column::Show::value_and_half});
    for (const QualityModel& model : result.table.models) {
        std::vector<Cell> row = {model.label};
        for (const DimensionFacts& facts : dimension_facts())
            row.emplace_back(estimate_of(model.cell(facts.dimension), facts.dimension));
        table.add(std::move(row));
    }
    table.notes.push_back(
        fmt::format("Rows after the first table: {} new, {} that completed one, {} that replaced "
                    "one, {} without anything new.",
                    result.added, result.completed, result.replaced, result.equal));
    for (const std::string& note : result.table.notes) table.notes.push_back(note + ".");
    report.sections = {{.title = "", .blocks = {table}, .sections = {}}};
    report.records = quality_records(result.table);
    report.result = to_json(result.table);
    return report;
}

}  // namespace assay::quality
