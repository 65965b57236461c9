// Reports scores: a table of models for each data set, or one store with all details.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "assay/evaluate/published.h"
#include "assay/evaluate/score.h"
#include "assay/report.h"
#include "core/interval_sides.h"
#include "core/joined_table.h"
#include "core/result_table.h"
#include "evaluate/by_votes/by_votes_report.h"
#include "evaluate/described_evaluate.h"
#include "evaluate/groups_of_store.h"
#include "evaluate/measurement_text.h"
#include "evaluate/score_records.h"
#include "evaluate/score_report_details.h"

namespace assay {
namespace {

using Show = Column::Show;

bool has_subgroups(const ScoreReport& report) {
    return std::any_of(report.measurements.begin(), report.measurements.end(),
                       [](const Measurement& m) { return !m.key.subgroup.empty(); });
}

// Writes lines by subgroup, separated by rules. `groups` puts the subgroup's name first.
class SubgroupLines {
public:
    SubgroupLines(Table& table, bool groups) : table_(table), groups_(groups) {
        if (groups_) table_.columns.insert(table_.columns.begin(), {"items", false});
    }
    void add(const Measurement& m, std::vector<Cell> cells) {
        if (groups_) cells.insert(cells.begin(), m.key.subgroup.empty() ? "all" : m.key.subgroup);
        if (m.key.subgroup != last_) table_.rule();
        last_ = m.key.subgroup;
        table_.add(std::move(cells));
    }

private:
    Table& table_;
    bool groups_;
    std::string last_;
};

void add_notes(Table& table, const ScoreReport& report) {
    for (const Measurement& m : report.measurements) {
        const std::string name = metric_text(m.key);
        if (!m.value) table.notes.push_back(fmt::format("{}: undefined: {}", name, m.undefined));
        if (m.calibrated_null) {
            table.notes.push_back(fmt::format(
                "{}: {:.3g} if the classifier were calibrated (mean of {} draws); p = {:.2g}", name,
                m.calibrated_null->mean, m.calibrated_null->draws, m.calibrated_null->p));
        }
        if (m.value && !m.note.empty() && m.key.subgroup.empty())
            table.notes.push_back(fmt::format("{}: {}", name, m.note));
    }
    table.notes.insert(table.notes.end(), report.notes.begin(), report.notes.end());
    const auto stands_in = [](const Measurement& m) {
        return m.key.definition.ends_with(only_valid_ending);
    };
    if (std::any_of(report.measurements.begin(), report.measurements.end(), stands_in))
        table.notes.push_back(
            fmt::format("`{}`: the data set has no single labels. The only valid class of an image "
                        "is used instead; images with several are skipped",
                        only_valid_ending.substr(1)));
}

// Shows one store, with one metric per line.
Table store_table(const ScoreReport& report) {
    const ScoreCounts& c = report.counts;
    Table table;
    table.columns = {{"metric", false},
                     {"value"},
                     {"interval", true, Show::interval},
                     {"n"},
                     {"definition", false}};
    table.title =
        fmt::format("{} on {}: {} items", report.model, report.dataset, count_text(c.items));
    if (c.partial()) {
        table.title += fmt::format(", {} without scores ({} unreadable, {} not finite, {} missing)",
                                   count_text(c.unreadable + c.not_finite + c.missing),
                                   c.unreadable, c.not_finite, c.missing);
    }
    if (!report.map.empty()) table.title += fmt::format(", on the classes of {}", report.map);
    SubgroupLines lines(table, has_subgroups(report));
    for (const Measurement& m : report.measurements) {
        if (is_by_labels_per_image(m)) continue;
        lines.add(m, {metric_heading(m), Estimate(m), Estimate(m), Count{m.n}, m.key.definition});
    }
    add_notes(table, report);
    return table;
}

// The number of included items: one number, or the fewest and the most if the metrics differ (label
// sets, unlabelled items).
Cell items_cell(const ScoreReport& report) {
    std::uint64_t fewest = UINT64_MAX;
    std::uint64_t most = 0;
    for (const Measurement& m : report.measurements) {
        if (!m.key.subgroup.empty() || is_by_labels_per_image(m)) continue;
        fewest = std::min(fewest, m.n);
        most = std::max(most, m.n);
    }
    if (fewest >= most) return Count{most};
    return count_text(fewest) + " – " + count_text(most);
}

// Stores that are shown side by side.
using Stores = std::vector<const ScoreReport*>;

/// The stores of a table: models, or what was derived from them. `what` is "" for models.
struct Derivation {
    std::string_view heading, column;
    std::string DerivedStore::*what = nullptr;

    const std::string& of(const ScoreReport& report) const {
        static const std::string none;
        return what == nullptr ? none : report.derived.*what;
    }
};
constexpr Derivation models_themselves;
constexpr Derivation under_attack = {" under attack", "attack", &DerivedStore::attack};
constexpr Derivation smoothed_models = {", smoothed models", "noise", &DerivedStore::smoothing};

// Returns "val", "val_fog_3 (fog at severity 3)" or "val under attack".
std::string heading_of(const ScoreReport& report, const Derivation& as) {
    DerivedStore corrupted = report.derived;
    corrupted.clear_variant();  // the name or the table's column contains it
    return fmt::format("{}{}{}", report.dataset,
                       corrupted.any() ? fmt::format(" ({})", describe(corrupted)) : "",
                       as.heading);
}

/// If there are few levels of a hierarchy, their accuracies are shown together with the other
/// metrics.
constexpr std::size_t most_levels_beside = 3, most_levels_shown = 6;

/// True if `m` is for a level of the hierarchy, over all items.
bool is_of_level(const Measurement& m) {
    return m.key.metric == "level_accuracy" && m.key.subgroup.empty();
}

/// The levels of the hierarchy for which the stores have values; empty if they are shown together
/// with the other metrics.
std::set<int> levels_apart(const Stores& reports) {
    std::set<int> levels;
    for (const ScoreReport* report : reports) {
        for (const Measurement& m : report->measurements)
            if (is_of_level(m)) levels.insert(std::stoi(m.key.parameters.at("level")));
    }
    if (levels.size() <= most_levels_beside) levels.clear();
    return levels;
}

/// Selects the first, the last, and others in equal steps.
std::vector<int> shown_of(const std::set<int>& levels) {
    const std::vector<int> all(levels.begin(), levels.end());
    if (all.size() <= most_levels_shown) return all;
    std::vector<int> shown;
    for (std::size_t i = 0; i < most_levels_shown; ++i)
        shown.push_back(all[i * (all.size() - 1) / (most_levels_shown - 1)]);
    return shown;
}

// For several stores, shows one model per line and one level of the hierarchy per column.
Table level_league(const Stores& reports, const std::set<int>& levels, const Derivation& as) {
    JoinedTable joined;
    const std::vector<int> shown = shown_of(levels);
    for (const ScoreReport* report : reports) {
        joined.row();
        joined.set("model", {"model", false}, report->model);
        for (const int level : shown) {
            const auto found = std::ranges::find_if(report->measurements, [&](const auto& m) {
                return is_of_level(m) && m.key.parameters.at("level") == std::to_string(level);
            });
            joined.set(std::to_string(level),
                       {fmt::format("level {} %", level), true, Show::value_and_half},
                       found == report->measurements.end() ? Cell() : Cell(Estimate(*found)));
        }
    }
    Table table = joined.take();
    table.title =
        fmt::format("{}: accuracy at levels of the hierarchy", heading_of(*reports[0], as));
    if (shown.size() < levels.size())
        table.notes.push_back(
            fmt::format("{} of {} levels; --json, --csv and `assay score STORE` have all, and "
                        "--metrics level_accuracy:level=N shows one.",
                        shown.size(), levels.size()));
    return table;
}

// Several stores of one data set: one model per line, or one derived from a model, by attack or
// noise. `apart` is levels_apart().
Table league_table(const Stores& reports, const Derivation& as, const std::set<int>& apart) {
    JoinedTable joined;
    const bool derived = as.what != nullptr;
    std::string last = as.of(*reports[0]);
    for (const ScoreReport* report : reports) {
        const std::string& what = as.of(*report);
        if (what != last) joined.rule();
        last = what;
        joined.row();
        joined.set("model", {"model", false}, derived ? report->derived.model : report->model);
        if (derived) joined.set("derivation", {std::string(as.column), false}, what);
        for (const Measurement& m : report->measurements) {
            if (!apart.empty() && is_of_level(m)) continue;
            if (m.key.subgroup.empty() && !is_by_labels_per_image(m))
                joined.set(column_key(m.key), {metric_heading(m), true, Show::value_and_half},
                           Estimate(m));
        }
        for (const AccuracyByGroup& groups : report->groups)
            joined.set(column_key(groups.worst.key),
                       {metric_heading(groups.worst), true, Show::value}, Estimate(groups.worst));
        joined.set("n", {"n"}, items_cell(*report));
    }
    Table table = joined.take();
    table.title = heading_of(*reports[0], as);
    std::set<std::string> said;
    for (const ScoreReport* report : reports) {
        for (const std::string& note : report->notes) {
            if (said.insert(note).second) table.notes.push_back(note);
        }
    }
    const std::string_view sides = sides_note(table);
    table.notes.push_back(fmt::format(
        "{}{}`assay score STORE` shows one model with intervals, definitions and notes.", sides,
        sides.empty() ? "" : "; "));
    return table;
}

std::vector<std::string> labels_per_image_definitions(const Stores& reports) {
    std::vector<std::string> list;
    for (const ScoreReport* report : reports) {
        for (const Measurement& m : report->measurements) {
            if (is_by_labels_per_image(m) &&
                std::find(list.begin(), list.end(), m.key.definition) == list.end())
                list.push_back(m.key.definition);
        }
    }
    return list;
}

// Shows one number of labels per line.
Table labels_per_image_table(const ScoreReport& report, const std::string& definition) {
    Table table;
    table.columns = {
        {"labels"}, {"n"}, {"accuracy %"}, {"interval", true, Show::interval}, {"", false}};
    table.title = fmt::format("{} on {}: by number of labels per image ({})", report.model,
                              report.dataset, definition);
    SubgroupLines lines(table, has_subgroups(report));
    for (const Measurement& m : report.measurements) {
        if (!is_by_labels_per_image(m) || m.key.definition != definition) continue;
        lines.add(m, {m.key.parameters.at("g"), Count{m.n}, Estimate(m), Estimate(m),
                      m.value ? Cell(Bar{*m.value}) : Cell()});
    }
    if (!report.labels_per_image.empty() && report.labels_per_image[0] > 0)
        table.notes.push_back(fmt::format("{} items have no valid label and are skipped",
                                          count_text(report.labels_per_image[0])));
    return table;
}

// For several stores, shows one model per line and one number of labels per column.
Table labels_per_image_league(const Stores& reports, const std::string& definition,
                              const Derivation& as) {
    std::map<int, std::map<const ScoreReport*, Estimate>> by_count;
    for (const ScoreReport* report : reports) {
        for (const Measurement& m : report->measurements) {
            if (is_by_labels_per_image(m) && m.key.definition == definition &&
                m.key.subgroup.empty())
                by_count[std::stoi(m.key.parameters.at("g"))].emplace(report, m);
        }
    }
    JoinedTable joined;
    for (const ScoreReport* report : reports) {
        joined.row();
        joined.set("model", {"model", false}, report->model);
        for (const auto& [g, values] : by_count) {
            const auto found = values.find(report);
            joined.set(
                std::to_string(g),
                {fmt::format("{} label{} %", g, g == 1 ? "" : "s"), true, Show::value_and_half},
                found == values.end() ? Cell() : Cell(found->second));
        }
    }
    Table table = joined.take();
    table.title = fmt::format("{}: by number of labels per image ({})", heading_of(*reports[0], as),
                              definition);
    std::string items;
    const auto& sizes = reports[0]->labels_per_image;
    for (const auto& [g, values] : by_count) {
        const auto at = static_cast<std::size_t>(g);
        items += fmt::format("{}{}: {}", items.empty() ? "" : ", ", g,
                             at < sizes.size() ? count_text(sizes[at]) : "0");
    }
    table.notes.push_back("items by number of labels, in " + reports[0]->model +
                          "'s store: " + items);
    return table;
}

void add_store_blocks(std::vector<Block>& blocks, const Stores& list, const Derivation& as) {
    const bool subgroups =
        std::any_of(list.begin(), list.end(), [](const auto* one) { return has_subgroups(*one); });
    if (list.size() > 1 && !subgroups) {
        const std::set<int> levels = levels_apart(list);
        blocks.emplace_back(league_table(list, as, levels));
        if (!levels.empty()) blocks.emplace_back(level_league(list, levels, as));
        for (const auto& id : labels_per_image_definitions(list))
            blocks.emplace_back(labels_per_image_league(list, id, as));
        for (Block& block : evaluate::group_blocks(list)) blocks.push_back(std::move(block));
        return;
    }
    for (const ScoreReport* report : list) {
        blocks.emplace_back(store_table(*report));
        for (const auto& id : labels_per_image_definitions({report}))
            blocks.emplace_back(labels_per_image_table(*report, id));
        for (Block& block : evaluate::group_blocks({report})) blocks.push_back(std::move(block));
    }
}

// Stores of attacks and of smoothed models are not models, and are shown separately.
std::vector<Block> store_blocks(const std::vector<ScoreReport>& reports) {
    struct OfDataSet {
        Stores models, attacked, smoothed;
    };
    std::map<std::string, OfDataSet> by_dataset;
    for (const ScoreReport& report : reports) {
        OfDataSet& own = by_dataset[report.dataset];
        Stores& list = !report.derived.is_apart()       ? own.models
                       : !report.derived.attack.empty() ? own.attacked
                                                        : own.smoothed;
        list.push_back(&report);
    }
    std::vector<Block> blocks;
    for (auto& [dataset, own] : by_dataset) {
        add_store_blocks(blocks, own.models, models_themselves);
        const auto add_apart = [&blocks](Stores& list, const Derivation& as) {
            std::stable_sort(list.begin(), list.end(),
                             [&as](const ScoreReport* a, const ScoreReport* b) {
                                 return as.of(*a) < as.of(*b);
                             });
            add_store_blocks(blocks, list, as);
        };
        add_apart(own.attacked, under_attack);
        add_apart(own.smoothed, smoothed_models);
    }
    return blocks;
}

/// If no image has a single label, there is only the table by valid label.
void add_class_tables(std::vector<Block>& blocks, const ScoreReport& report) {
    const bool single = std::ranges::any_of(report.per_class,
                                            [](const ClassResult& c) { return c.accuracy.n > 0; });
    if (single || !report.valid_labels) blocks.emplace_back(class_table(report));
    if (!report.valid_labels) return;
    blocks.emplace_back(valid_class_table(report));
    blocks.emplace_back(missed_labels_table(report));
}

/// The means replace the values that they average, as in the table.
std::vector<NamedValue> values_of(const ScoreResult& result) {
    std::vector<NamedValue> values;
    for (const AcrossResult& across : result.means) {
        values.push_back(named_value(across.mean));
        // "val*" would otherwise have the same name as the data set `val`.
        values.back().name.front().insert(0, "across ");
    }
    if (result.across.empty()) {
        for (const ScoreReport& report : result.reports) {
            for (const Measurement& m : evaluate::with_groups(report.measurements, report.groups))
                values.push_back(named_value(m));
        }
    }
    for (const Measurement& m : result.ood)
        values.push_back({{m.key.dataset, m.key.model, "against " + m.key.parameters.at("out"),
                           m.key.definition},
                          m});
    return values;
}

}  // namespace

Report report_of(const ScoreResult& result, const ScoreShown& shown) {
    Report report;
    Section& section = report.sections.emplace_back();
    const bool means = !result.across.empty();
    if (means) {
        section.blocks.emplace_back(across_table(result.means));
    } else {
        section.blocks = store_blocks(result.reports);
        for (const ScoreReport& one : result.reports) {
            if (shown.per_class) add_class_tables(section.blocks, one);
            if (shown.confusions > 0)
                section.blocks.emplace_back(confusion_table(one, shown.confusions));
            if (shown.reliability) section.blocks.emplace_back(reliability_table(one));
        }
    }
    for (Block& block : by_votes_blocks(result.by_votes))
        section.blocks.push_back(std::move(block));
    for (Block& block : ood_blocks(result.ood)) section.blocks.push_back(std::move(block));
    for (auto& table : published_tables(result.published))
        section.blocks.emplace_back(std::move(table));
    report.values = values_of(result);
    report.gates = outcomes_of(result.gates);
    std::vector<Measurement> more = measurements_by_votes(result.by_votes);
    report.values.reserve(report.values.size() + more.size());
    for (const Measurement& m : more)
        report.values.push_back({{m.key.dataset, m.key.model, m.key.metric}, m});
    more.insert(more.end(), result.ood.begin(), result.ood.end());
    report.records = means                  ? table_of(result.means)
                     : shown.per_class      ? class_records(result.reports)
                     : shown.confusions > 0 ? confusion_records(result.reports)
                     : shown.reliability    ? reliability_records(result.reports)
                                            : measurement_records(result.reports, more);
    report.result = to_json(result, shown);
    report.warnings = result.warnings;
    report.partial = result.partial();
    return report;
}

}  // namespace assay
