// Tables of the gap's parts: by classifier, by method, with fewer annotators.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/replication/steps.h"
#include "core/interval_sides.h"
#include "core/result_table.h"
#include "replication/adjust_result.h"
#include "replication/joint/joint_report.h"
#include "replication/step_tables.h"

namespace assay::replication {
namespace {

using Show = Column::Show;

Table classifier_table(const AdjustReport& adjusted) {
    const MethodResult& main = adjusted.methods.front();
    Table table = empty_table(
        fmt::format("{} and {} images of {} classes; adjusted by {}",
                    count_text(adjusted.first_images), count_text(adjusted.second_images),
                    count_text(adjusted.classes), main.definition),
        {{"classifier", false},
         {"original %"},
         {"replication %"},
         {"adjusted %", true, Show::value_and_half},
         {"gap", true, Show::value_and_half},
         {"remains", true, Show::value_and_half},
         {"was selection", true, Show::value_and_half}});
    const auto add = [&](const std::string& name, const Estimate& first, const Estimate& second,
                         const Estimate& a, const GapParts& g) {
        table.add({name, first, second, a, g.gap, g.remaining, g.bias});
    };
    for (std::size_t m = 0; m < adjusted.classifiers.size(); ++m) {
        add(adjusted.classifiers[m], adjusted.first[m], adjusted.second[m], main.adjusted[m],
            main.gaps[m]);
    }
    table.rule();
    add("mean", adjusted.mean_first, adjusted.mean_second, main.mean_adjusted, main.mean_gap);
    return table;
}

Table method_table(const AdjustReport& adjusted) {
    Table table = empty_table("Methods, means over classifiers",
                              {{"method", false},
                               {"mean adjusted %"},
                               {"interval", true, Show::interval},
                               {"gap that remains", true, Show::value_and_half},
                               {"slope", true, Show::value_and_half}});
    const auto slope = [](const std::optional<LineFit>& line) {
        return line ? Cell(line->slope) : Cell("–");
    };
    const double gap = *adjusted.mean_first.value - *adjusted.mean_second.value;
    table.add({"none", adjusted.mean_second, adjusted.mean_second,
               Number{.value = gap, .unit = Unit::proportion, .digits = 2},
               slope(adjusted.raw_line)});
    bool of_exponents = false, of_bootstrap = false;
    for (const MethodResult& m : adjusted.methods) {
        if (!m.defined()) {
            table.add({m.id, m.mean_adjusted});
            table.notes.push_back(m.id + ": " + m.mean_adjusted.undefined);
            continue;
        }
        table.add({m.id, m.mean_adjusted, m.mean_adjusted, m.mean_gap.remaining, slope(m.line)});
        if (m.id.ends_with(".bootstrap"))
            of_bootstrap = true;
        else if (m.exponents.empty() || m.id == "moments")
            table.notes.push_back(m.id + ": " + exact_for(m.id));
        else
            of_exponents = true;
        for (const std::string& text : m.notes) table.notes.push_back(m.id + ": " + text);
    }
    table.notes.emplace_back(
        "these results assume that annotations of the replication were collected after its images "
        "were selected: answers that selected the images cannot judge them");
    if (of_bootstrap)
        table.notes.emplace_back(
            "names in .bootstrap: the same estimates with percentile intervals");
    if (of_exponents)
        table.notes.emplace_back("moments.0_1_3_8, ...: the same with these exponents");
    table.notes.emplace_back(
        "slope: of adjusted accuracy on accuracy on the original, over the "
        "classifiers; of accuracy on the replication for `none`");
    const std::string_view sides = sides_note(table);
    table.notes.push_back(fmt::format("{}{} 95 % unless another level was asked for",
                                      sides.empty() ? "intervals:" : sides,
                                      sides.empty() ? "" : ";"));
    return table;
}

Table sweep_table(const std::vector<SweepPoint>& points) {
    Table table = empty_table("With fewer annotators, or other mixtures",
                              {{"annotators"}, {"method", false}, {"mean adjusted %"}});
    for (const SweepPoint& p : points) {
        table.add({Count{static_cast<std::uint64_t>(p.annotators)}, p.method,
                   Number{.value = p.mean, .unit = Unit::proportion, .digits = 2}});
    }
    const std::size_t first = points.front().first_left_out,
                      second = points.front().second_left_out;
    if (first + second > 0)
        table.notes.push_back(
            fmt::format("{} images of the original and {} of the replication have fewer annotators "
                        "than the largest number here: they are skipped throughout",
                        count_text(first), count_text(second)));
    return table;
}

/// A row for each classifier and each method with a result.
Table records(const AdjustReport& adjusted) {
    Table table = result_table<AdjustedClassifier>();
    for (const MethodResult& method : adjusted.methods) {
        for (std::size_t m = 0; m < method.adjusted.size() && method.defined(); ++m)
            add_row(table, AdjustedClassifier{&adjusted, &method, m});
    }
    return table;
}

bool holds_zero(const Estimate& e) {
    return e.interval ? e.interval->low <= 0 && e.interval->high >= 0 : *e.value == 0;
}

/// "8.0 ±3.0", or with both ends. Without its sign, which both ends have.
std::string printed_size(const Estimate& e) {
    const Estimate size = without_sign(e);
    const std::string text = number_text(*size.value, half_width(size), size.unit);
    return size.interval ? text + " " + sides_text(size) : text;
}

/// Describes the original's minus the replication's accuracy: "from 0.40 lower to 1.20 higher".
std::string span(const Estimate& e) {
    if (!e.interval) return "no interval";
    const double half = half_width(e);
    const auto end = [&](double x) {
        return number_text(std::abs(x), half, e.unit) +
               (x > 0 ? " points lower" : " points higher");
    };
    return "from " + end(e.interval->high) + " to " + end(e.interval->low);
}

std::string difference(const Estimate& e) {
    return fmt::format("{} points {}", printed_size(e), *e.value > 0 ? "lower" : "higher");
}

}  // namespace

std::string verdict(const AdjustReport& adjusted) {
    const MethodResult& main = adjusted.methods.front();
    const GapParts& g = main.mean_gap;
    if (!main.defined()) return "";
    const std::string first =
        holds_zero(g.gap)
            ? fmt::format(
                  "A difference in mean accuracy between the original and the replication "
                  "is not shown ({}).",
                  span(g.gap))
            : fmt::format("Mean accuracy is {} on the replication than on the original.",
                          difference(g.gap));
    const std::string second =
        "With images as easy to select as the original's, " +
        (holds_zero(g.remaining)
             ? fmt::format("a difference is not shown ({})", span(g.remaining))
             : fmt::format("mean accuracy would be {}", difference(g.remaining)));
    std::string third;
    if (holds_zero(g.bias))
        third = fmt::format(
            "; that some of the difference comes from how they were selected is "
            "not shown ({})",
            span(g.bias));
    else
        third = fmt::format(
            "; {} points come from how they were selected{}", printed_size(g.bias),
            (*g.bias.value > 0) == (*g.gap.value > 0) ? "" : ", against the difference");
    std::string out = first + " " + second + third + ".";
    out += fmt::format(
        "\nThis uses {} ({}) and is the mean over {} classifier{}{}.", main.id, exact_for(main.id),
        count_text(adjusted.classifiers.size()), adjusted.classifiers.size() == 1 ? "" : "s",
        g.gap.interval ? fmt::format(", with {:g} % intervals", 100 * g.gap.interval->level) : "");
    if (adjusted.mean_sensitivity && *adjusted.mean_sensitivity >= 5e-5) {
        out += fmt::format("\nOther sets of exponents change the mean by {:.2f} points.",
                           100 * *adjusted.mean_sensitivity);
    }
    return out;
}

Report report_of(const AdjustOutcome& outcome) {
    const AdjustReport& adjusted = outcome.adjusted;
    Report report;
    Section& section = report.sections.emplace_back();
    section.blocks = {classifier_table(adjusted), method_table(adjusted)};
    const std::string sentence = verdict(adjusted);
    if (!sentence.empty()) section.blocks.emplace_back(sentence);
    if (outcome.joint) add_joint(*outcome.joint, adjusted.classifiers, section, report.warnings);
    if (!outcome.sweep.empty()) section.blocks.emplace_back(sweep_table(outcome.sweep));
    report.records = records(adjusted);
    report.result = to_json(outcome);
    for (const auto* warnings : {&outcome.prepared.warnings, &adjusted.warnings})
        report.warnings.insert(report.warnings.end(), warnings->begin(), warnings->end());
    report.partial = outcome.partial;
    return report;
}

}  // namespace assay::replication
