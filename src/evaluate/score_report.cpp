// Scores for people: a table of models for each data set, or one store with all that is known.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "assay/evaluate/published.h"
#include "assay/evaluate/score.h"
#include "assay/report.h"
#include "core/joined_table.h"
#include "core/result_table.h"
#include "evaluate/measurement_text.h"
#include "evaluate/results.h"
#include "evaluate/score_records.h"
#include "metric/families.h"

namespace assay {
namespace {

using Show = Column::Show;

bool has_subgroups(const ScoreReport& report) {
    return std::any_of(report.measurements.begin(), report.measurements.end(),
                       [](const Measurement& m) { return !m.key.subgroup.empty(); });
}

// Lines of one subgroup after another, with a rule between them; `groups`: its name comes first.
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
        table.notes.push_back(fmt::format(
            "`{}`: the data set has no single labels of its own; an image's only valid class "
            "stands in, and images with several enter none of these",
            only_valid_ending.substr(1)));
}

// One store: a metric a line.
Table store_table(const ScoreReport& report) {
    const ScoreCounts& c = report.counts;
    Table table;
    table.columns = {{"metric", false},
                     {"value", true, Show::value_and_half},
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
    if (!report.map.empty()) table.title += fmt::format(", asked over {}", report.map);
    SubgroupLines lines(table, has_subgroups(report));
    for (const Measurement& m : report.measurements) {
        if (is_by_labels_per_image(m)) continue;
        lines.add(m, {metric_heading(m), Estimate(m), Estimate(m), Count{m.n}, m.key.definition});
    }
    add_notes(table, report);
    return table;
}

// Items that entered: one number, or the fewest and the most when the metrics differ (label sets,
// unlabelled items).
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

// "val", "val_fog_3 (fog at severity 3)", "val under attack".
std::string heading_of(const ScoreReport& report, bool attacked) {
    DerivedStore corrupted = report.derived;
    corrupted.attack.clear();
    return report.dataset + (corrupted.any() ? fmt::format(" ({})", describe(corrupted)) : "") +
           (attacked ? " under attack" : "");
}

// Several stores of one data set: a model a line. `attacked`: a model under an attack, by attacks.
Table league_table(const Stores& reports, bool attacked) {
    JoinedTable joined;
    std::string last = reports[0]->derived.attack;
    for (const ScoreReport* report : reports) {
        const std::string& attack = report->derived.attack;
        if (attack != last) joined.rule();
        last = attack;
        joined.row();
        joined.set("model", {"model", false}, attacked ? report->derived.model : report->model);
        if (attacked) joined.set("attack", {"attack", false}, attack);
        for (const Measurement& m : report->measurements) {
            if (m.key.subgroup.empty() && !is_by_labels_per_image(m))
                joined.set(column_key(m.key), {metric_heading(m), true, Show::value_and_half},
                           Estimate(m));
        }
        joined.set("n", {"n"}, items_cell(*report));
    }
    Table table = joined.take();
    table.title = heading_of(*reports[0], attacked);
    std::set<std::string> said;
    for (const ScoreReport* report : reports) {
        for (const std::string& note : report->notes) {
            if (said.insert(note).second) table.notes.push_back(note);
        }
    }
    table.notes.emplace_back(
        "± is half of the interval; `assay score STORE` shows one model with intervals, "
        "definitions and notes.");
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

// A number of labels a line.
Table labels_per_image_table(const ScoreReport& report, const std::string& definition) {
    Table table;
    table.columns = {{"labels"},
                     {"n"},
                     {"accuracy %", true, Show::value_and_half},
                     {"interval", true, Show::interval},
                     {"", false}};
    table.title = fmt::format("{} on {}: by number of labels per image ({})", report.model,
                              report.dataset, definition);
    SubgroupLines lines(table, has_subgroups(report));
    for (const Measurement& m : report.measurements) {
        if (!is_by_labels_per_image(m) || m.key.definition != definition) continue;
        lines.add(m, {m.key.parameters.at("g"), Count{m.n}, Estimate(m), Estimate(m),
                      m.value ? Cell(Bar{*m.value}) : Cell()});
    }
    if (!report.labels_per_image.empty() && report.labels_per_image[0] > 0)
        table.notes.push_back(fmt::format("{} items have no valid label and are left out",
                                          count_text(report.labels_per_image[0])));
    return table;
}

// Several stores: a model a line, a number of labels a column.
Table labels_per_image_league(const Stores& reports, const std::string& definition, bool attacked) {
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
    table.title = fmt::format("{}: by number of labels per image ({})",
                              heading_of(*reports[0], attacked), definition);
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

Table class_table(const ScoreReport& report) {
    Table table;
    table.columns = {{"class", false}, {"name", false}, {"n"},
                     {"correct"},      {"accuracy %"},  {"interval", true, Show::interval},
                     {"confidence %"}, {"", false}};
    table.title = fmt::format("{} on {}: classes", report.model, report.dataset);
    std::vector<const ClassResult*> classes;
    std::size_t absent = 0;
    for (const ClassResult& c : report.per_class) {
        if (c.accuracy.n == 0) {
            ++absent;
        } else {
            classes.push_back(&c);
        }
    }
    // The worst first; of equals the one with more items, whose accuracy is the surer.
    std::stable_sort(classes.begin(), classes.end(), [](const auto* a, const auto* b) {
        if (*a->accuracy.value != *b->accuracy.value)
            return *a->accuracy.value < *b->accuracy.value;
        return a->accuracy.n > b->accuracy.n;
    });
    for (const ClassResult* c : classes) {
        table.add({c->id, c->name == c->id ? "" : c->name, Count{c->accuracy.n}, Count{c->correct},
                   c->accuracy, c->accuracy,
                   c->confidence ? Cell(Number{*c->confidence, Unit::proportion, 1}) : Cell(),
                   Bar{*c->accuracy.value}});
    }
    if (absent > 0)
        table.add({fmt::format("{} classes without items", count_text(absent)), "", Count{0}});
    return table;
}

Table reliability_table(const ScoreReport& report) {
    Table table;
    table.columns = {{"confidence %"},
                     {"n"},
                     {"mean confidence %"},
                     {"accuracy %"},
                     {"interval", true, Show::interval},
                     {"accuracy - confidence"},
                     {"", false}};
    table.columns[5].sign = true;
    table.title = fmt::format("{} on {}: reliability", report.model, report.dataset);
    for (const ReliabilityBin& bin : report.reliability) {
        if (bin.accuracy.n == 0) continue;
        const double gap = *bin.accuracy.value - *bin.confidence;
        table.add({bin.low == bin.high
                       ? std::string("100")
                       : fmt::format("{:.1f} – {:.1f}", 100 * bin.low, 100 * bin.high),
                   Count{bin.accuracy.n}, Number{*bin.confidence, Unit::proportion, 1},
                   bin.accuracy, bin.accuracy,
                   Number{.value = gap, .unit = Unit::proportion, .digits = 1, .sign = true},
                   Bar{*bin.accuracy.value}});
    }
    if (report.reliability.empty())
        table.notes.emplace_back(std::string("undefined: ") + families::no_probabilities);
    table.notes.emplace_back("intervals: Wilson; bins without items are left out");
    return table;
}

/// `kept`: as many as were asked for.
Table confusion_table(const ScoreReport& report, std::size_t kept) {
    const auto name = [&](std::int32_t c) {
        return c < 0 ? "(no target)" : report.per_class.at(static_cast<std::size_t>(c)).name;
    };
    Table table;
    table.columns = {{"truth", false}, {"predicted", false}, {"count"}, {"of the class %"}};
    table.title = fmt::format("{} on {}: most frequent confusions", report.model, report.dataset);
    constexpr std::size_t most = 20;
    const std::size_t shown = kept == all_confusions ? most : kept;
    for (const Confusion& c :
         std::span(report.confusions).first(std::min(shown, report.confusions.size()))) {
        const auto n = report.per_class.at(static_cast<std::size_t>(c.truth)).accuracy.n;
        const double proportion = static_cast<double>(c.count) / static_cast<double>(n);
        table.add({name(c.truth), name(c.predicted), Count{c.count},
                   Number{proportion, Unit::proportion, 1}});
    }
    if (report.confusions.size() > shown)
        table.notes.push_back(fmt::format("{} more pairs; --csv has all of them",
                                          count_text(report.confusions.size() - shown)));
    return table;
}

// Means over data sets: a block of lines a model.
Table across_table(const std::vector<AcrossResult>& results) {
    const bool groups = std::any_of(results.begin(), results.end(), [](const AcrossResult& r) {
        return !r.mean.key.subgroup.empty();
    });
    Table table;
    table.columns = {{"model", false},
                     {"metric", false},
                     {"mean", true, Show::value_and_half},
                     {"interval", true, Show::interval},
                     {"standard deviation"},
                     {"minimum"},
                     {"maximum"},
                     {"data sets"},
                     {"definition", false}};
    if (groups) table.columns.insert(table.columns.begin() + 1, {"items", false});
    if (!results.empty()) table.title = "means over the data sets " + results[0].mean.key.dataset;
    std::string last;
    for (const AcrossResult& r : results) {
        const Measurement& m = r.mean;
        const bool first = m.key.model != last;
        if (first && !last.empty()) table.rule();
        last = m.key.model;
        // As many digits as the spread over the data sets deserves.
        const auto number = [&](std::optional<double> x) {
            if (!m.value || !x) return Cell();
            return Cell(Number{
                .value = *x, .unit = m.unit, .uncertainty = r.standard_deviation.value_or(0)});
        };
        std::vector<Cell> cells{first ? m.key.model : "",
                                metric_heading(m),
                                Estimate(m),
                                Estimate(m),
                                number(r.standard_deviation),
                                number(r.low),
                                number(r.high),
                                Count{r.datasets.size()},
                                m.key.definition};
        if (groups)
            cells.insert(cells.begin() + 1, m.key.subgroup.empty() ? "all" : m.key.subgroup);
        table.add(std::move(cells));
    }
    for (const AcrossResult& r : results) {
        if (!r.mean.value)
            table.notes.push_back(fmt::format("{}: {}: undefined: {}", r.mean.key.model,
                                              metric_text(r.mean.key), r.mean.undefined));
    }
    table.notes.emplace_back(
        "the interval takes the data sets as a sample of such sets (Student's t): it does not hold "
        "what they share, such as the images they are cut from");
    return table;
}

// What a measurement of out-of-distribution detection is called, whatever the score.
std::string ood_heading(const Measurement& m) {
    if (m.key.metric == "ood_auroc") return "AUROC %";
    return m.key.definition.find(".out_positive.") == std::string::npos ? "FPR95 %"
                                                                        : "FPR95 %, out positive";
}

// A score a line: the measurements of one pair of data sets, those of one model and score together.
Table ood_table(const std::vector<const Measurement*>& list) {
    const auto score_of = [](const Measurement* m) { return m->key.parameters.at("score"); };
    JoinedTable joined;
    std::vector<std::string> notes;
    std::string last;
    for (std::size_t i = 0; i < list.size();) {
        const Measurement& first = *list[i];
        const std::string model = first.key.model, score = score_of(&first);
        if (model != last && !last.empty()) joined.rule();
        joined.row();
        joined.set("model", {"model", false}, model != last ? model : "");
        joined.set("score", {"score", false}, score);
        for (; i < list.size() && list[i]->key.model == model && score_of(list[i]) == score; ++i) {
            const std::string heading = ood_heading(*list[i]);
            joined.set(heading, {heading, true, Show::value_and_half}, Estimate(*list[i]));
        }
        joined.set("n", {"n"}, Count{first.n});
        if (!first.value)
            notes.push_back(fmt::format("{}: {}: undefined: {}", model, score, first.undefined));
        last = model;
    }
    const std::string &in = list[0]->key.dataset, &out = list[0]->key.parameters.at("out");
    Table table = joined.take();
    table.title = fmt::format("{} against {}: out-of-distribution detection", in, out);
    table.notes = std::move(notes);
    table.notes.push_back(fmt::format(
        "FPR95: of {1}, those that pass where 95 % of {0} do (ODIN, energy); out positive: of "
        "{0}, those that are rejected where 95 % of {1} are (OpenOOD)",
        in, out));
    return table;
}

// A table for each pair of data sets.
std::vector<Block> ood_blocks(const std::vector<Measurement>& list) {
    std::vector<Block> blocks;
    std::vector<const Measurement*> pair;
    for (const Measurement& m : list) {
        const bool same =
            pair.empty() || (pair[0]->key.dataset == m.key.dataset &&
                             pair[0]->key.parameters.at("out") == m.key.parameters.at("out"));
        if (!same) {
            blocks.emplace_back(ood_table(pair));
            pair.clear();
        }
        pair.push_back(&m);
    }
    if (!pair.empty()) blocks.emplace_back(ood_table(pair));
    return blocks;
}

void add_store_blocks(std::vector<Block>& blocks, const Stores& list, bool attacked) {
    const bool subgroups =
        std::any_of(list.begin(), list.end(), [](const auto* one) { return has_subgroups(*one); });
    if (list.size() > 1 && !subgroups) {
        blocks.emplace_back(league_table(list, attacked));
        for (const auto& id : labels_per_image_definitions(list))
            blocks.emplace_back(labels_per_image_league(list, id, attacked));
        return;
    }
    for (const ScoreReport* report : list) {
        blocks.emplace_back(store_table(*report));
        for (const auto& id : labels_per_image_definitions({report}))
            blocks.emplace_back(labels_per_image_table(*report, id));
    }
}

// Stores of attacks are no models, and stand apart.
std::vector<Block> store_blocks(const std::vector<ScoreReport>& reports) {
    struct OfDataSet {
        Stores models, attacked;
    };
    std::map<std::string, OfDataSet> by_dataset;
    for (const ScoreReport& report : reports) {
        OfDataSet& own = by_dataset[report.dataset];
        (report.derived.attack.empty() ? own.models : own.attacked).push_back(&report);
    }
    std::vector<Block> blocks;
    for (auto& [dataset, own] : by_dataset) {
        add_store_blocks(blocks, own.models, false);
        std::stable_sort(own.attacked.begin(), own.attacked.end(),
                         [](const ScoreReport* a, const ScoreReport* b) {
                             return a->derived.attack < b->derived.attack;
                         });
        add_store_blocks(blocks, own.attacked, true);
    }
    return blocks;
}

/// The means in the place of what they are of, as in the table.
std::vector<NamedValue> values_of(const ScoreResult& result) {
    std::vector<NamedValue> values;
    for (const AcrossResult& across : result.means) {
        values.push_back(named_value(across.mean));
        // "val*" would be called as the data set `val` is.
        values.back().name.front().insert(0, "across ");
    }
    if (result.across.empty()) {
        for (const ScoreReport& report : result.reports) {
            for (const Measurement& m : report.measurements) values.push_back(named_value(m));
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
            if (shown.per_class) section.blocks.emplace_back(class_table(one));
            if (shown.confusions > 0)
                section.blocks.emplace_back(confusion_table(one, shown.confusions));
            if (shown.reliability) section.blocks.emplace_back(reliability_table(one));
        }
    }
    for (Block& block : ood_blocks(result.ood)) section.blocks.push_back(std::move(block));
    for (auto& table : published_tables(result.published))
        section.blocks.emplace_back(std::move(table));
    report.values = values_of(result);
    report.gates = outcomes_of(result.gates);
    report.records = means                  ? table_of(result.means)
                     : shown.per_class      ? class_records(result.reports)
                     : shown.confusions > 0 ? confusion_records(result.reports)
                     : shown.reliability    ? reliability_records(result.reports)
                                            : measurement_records(result.reports, result.ood);
    report.result = to_json(result, shown);
    report.warnings = result.warnings;
    report.partial = result.partial();
    return report;
}

}  // namespace assay
