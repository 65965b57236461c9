#include "evaluate/score_report_details.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/joined_table.h"
#include "evaluate/measurement_text.h"
#include "evaluate/ood_heading.h"
#include "metric/families.h"

namespace assay {
namespace {

using Show = Column::Show;

// One score per line: the measurements for one pair of data sets, with those of one model and score
// together.
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
    table.notes.push_back(
        fmt::format("FPR95: proportion of {1} that passes if 95 % of {0} pass (ODIN, energy). Out "
                    "positive: proportion of {0} rejected if 95 % of {1} are rejected (OpenOOD)",
                    in, out));
    return table;
}

}  // namespace

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
    // The worst is first. For ties, a class with more items (more precise) is first.
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
    const bool clusters = std::ranges::any_of(report.reliability, [](const ReliabilityBin& bin) {
        return bin.accuracy.interval && bin.accuracy.interval->method == "wilson.clusters";
    });
    table.notes.push_back(fmt::format("intervals: Wilson{}; bins without items are skipped",
                                      clusters ? " with the clusters as independent" : ""));
    return table;
}

const std::vector<Confusion>& listed_confusions(const ScoreReport& report) {
    return report.valid_labels ? report.valid_labels->confusions : report.confusions;
}

Table confusion_table(const ScoreReport& report, std::size_t kept) {
    const auto name = [&](std::int32_t c) {
        return c < 0 ? "(no target)" : report.per_class.at(static_cast<std::size_t>(c)).name;
    };
    const bool valid = report.valid_labels.has_value();
    const std::vector<Confusion>& list = listed_confusions(report);
    Table table;
    table.columns = {{"truth", false}, {"predicted", false}, {"count"}, {"of the class %"}};
    table.title = fmt::format("{} on {}: most frequent confusions", report.model, report.dataset);
    constexpr std::size_t most = 20;
    const std::size_t shown = kept == all_confusions ? most : kept;
    for (const Confusion& c : std::span(list).first(std::min(shown, list.size()))) {
        const auto at = static_cast<std::size_t>(c.truth);
        const auto n =
            valid ? report.valid_labels->classes.at(at).images : report.per_class.at(at).accuracy.n;
        const double proportion = static_cast<double>(c.count) / static_cast<double>(n);
        table.add({name(c.truth), name(c.predicted), Count{c.count},
                   Number{proportion, Unit::proportion, 1}});
    }
    if (list.size() > shown)
        table.notes.push_back(
            fmt::format("{} more pairs; --csv has all of them", count_text(list.size() - shown)));
    if (valid)
        table.notes.emplace_back(
            "truth: each valid label of the image. A predicted class that is valid is no "
            "confusion");
    return table;
}

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
        // Shows as many digits as the spread over the data sets justifies.
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
        "the interval treats the data sets as a sample of similar sets (Student's t). It does not "
        "cover errors that they share, such as those from common source images");
    return table;
}

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

}  // namespace assay
