// Reports of `assay estimate select` and `assay estimate show`.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assay/few_labels/estimate.h"
#include "core/result_table.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "few_labels/described_few_labels.h"

namespace assay {
namespace few_labels {
namespace {

std::string command_name(const std::filesystem::path& path) {
    return shell_word(path.string());
}

void add_strata_note(Table& table, const PoolEstimate& result) {
    std::uint64_t images = 0, labels = 0, all = 0;
    for (const EstimatedStratum& one : result.strata) {
        all += one.images;
        if (one.contested) continue;
        images += one.images;
        labels += one.labels;
    }
    table.notes.push_back(
        fmt::format("{} agree on {:.1f} % of the {}images ({} labels); they disagree "
                    "on the others "
                    "({} labels)",
                    result.founders < result.classifiers.size()
                        ? fmt::format("the first {} classifiers", result.founders)
                        : "all classifiers",
                    100 * static_cast<double>(images) / static_cast<double>(all),
                    result.settled > 0 ? "other " : "", labels, result.labels - labels));
}

/// Each column of corrected values follows the column that it corrects.
constexpr std::ptrdiff_t corrected_at = 2, corrected_difference_at = 3, corrected_group_at = 5;

void add_corrected_column(Table& table, const PoolEstimate& result,
                          std::ptrdiff_t at = corrected_at, const char* name = "corrected %",
                          bool sign = false) {
    if (result.sensitivity)
        table.columns.insert(table.columns.begin() + at,
                             {name, true, Column::Show::value_and_interval, sign});
}

Table classifier_table(const PoolEstimate& result) {
    Table table;
    table.title = fmt::format("Accuracy on {} images of {} from {} labelled ones",
                              count_text(result.images), result.dataset, count_text(result.labels));
    if (result.settled > 0)
        table.title += fmt::format(" and {} settled ones", count_text(result.settled));
    table.columns = {{"classifier", false},
                     {"accuracy %", true, Column::Show::value_and_interval},
                     {"random sample would need", true},
                     {"overconfidence %", true, Column::Show::value_and_interval, true}};
    add_corrected_column(table, result);
    for (const EstimatedClassifier& one : result.classifiers) {
        Cell needed;
        if (one.random_sample) needed = Count{*one.random_sample};
        std::vector<Cell> row = {one.classifier, one.accuracy, std::move(needed),
                                 one.overconfidence};
        if (one.corrected) row.insert(row.begin() + corrected_at, *one.corrected);
        table.add(std::move(row));
    }
    add_strata_note(table, result);
    if (!result.best.empty()) {
        table.notes.push_back(result.not_resolved.empty()
                                  ? fmt::format("best: {}", result.best)
                                  : fmt::format("best: {}; the difference from {} may be 0",
                                                result.best, fmt::join(result.not_resolved, ", ")));
    }
    return table;
}

Table pair_table(const PoolEstimate& result) {
    Table table;
    table.title = "Differences on all images";
    table.columns = {{"first", false},
                     {"second", false},
                     {"difference, points", true, Column::Show::value_and_interval, true},
                     {"disagree %", true},
                     {"labels there", true}};
    add_corrected_column(table, result, corrected_difference_at, "corrected, points", true);
    for (const EstimatedPair& pair : result.pairs) {
        std::vector<Cell> row = {pair.first, pair.second, pair.difference,
                                 Number{pair.disagreement, Unit::proportion, 1},
                                 Count{pair.labels}};
        if (pair.corrected) row.insert(row.begin() + corrected_difference_at, *pair.corrected);
        table.add(std::move(row));
    }
    return table;
}

Table group_table(const PoolEstimate& result) {
    Table table;
    table.title = fmt::format("Accuracy by {}", result.by);
    table.columns = {{result.by, false},
                     {"classifier", false},
                     {"images", true},
                     {"labels", true},
                     {"accuracy %", true, Column::Show::value_and_interval}};
    add_corrected_column(table, result, corrected_group_at);
    for (const EstimatedGroup& one : result.groups) {
        std::vector<Cell> row = {one.group, one.classifier, Count{one.images}, Count{one.labels},
                                 one.accuracy};
        if (one.corrected) row.emplace_back(*one.corrected);
        table.add(std::move(row));
    }
    return table;
}

/// The classes and classifiers that have an interval.
Table class_table(const PoolEstimate& result) {
    const auto recall = [](const EstimatedClass& one) { return one.recall.value.has_value(); };
    const auto shown = [&](const EstimatedClass& one) {
        return recall(one) || one.precision.value;
    };
    Table table;
    // Without classes of the images there is no recall.
    const bool recalls = std::ranges::any_of(result.classes, recall);
    table.title = recalls ? "Recall and precision by class" : "Precision by class";
    table.columns = {{"class", false}, {"classifier", false}};
    if (recalls) {
        table.columns.push_back({"labels", true});
        table.columns.push_back({"recall %", true, Column::Show::value_and_interval});
    }
    table.columns.push_back({"predicted images", true});
    table.columns.push_back({"labels of them", true});
    table.columns.push_back({"precision %", true, Column::Show::value_and_interval});
    add_corrected_column(table, result, static_cast<std::ptrdiff_t>(table.columns.size()));
    std::size_t without = 0;
    for (const EstimatedClass& one : result.classes) {
        if (!shown(one)) {
            ++without;
            continue;
        }
        std::vector<Cell> row = {one.name, one.classifier};
        if (recalls) {
            row.push_back(one.labels ? Cell{Count{*one.labels}} : Cell{});
            row.emplace_back(one.recall);
        }
        row.push_back(one.predicted ? Cell{Count{*one.predicted}} : Cell{});
        row.emplace_back(Count{one.predicted_labels});
        row.emplace_back(one.precision);
        if (result.sensitivity) row.push_back(one.corrected ? Cell{*one.corrected} : Cell{});
        table.add(std::move(row));
    }
    if (without > 0)
        table.notes.push_back(
            fmt::format("{} of {} have too few labels for an interval; --json lists them", without,
                        how_many(result.classes.size(), "pair of a class and a classifier",
                                 "pairs of a class and a classifier")));
    return table;
}

}  // namespace

Report report_of(const DrawnSample& sample) {
    Report report;
    report.records = table_of(sample.strata);
    Table table;
    table.title =
        fmt::format("{} of {} images of {} drawn, {} of them now", count_text(sample.drawn),
                    count_text(sample.images), sample.dataset, count_text(sample.added));
    table.columns = {{"stratum", true},
                     {"classifiers", false},
                     {"images", true},
                     {"drawn", true},
                     {"weight", true}};
    for (const DrawnStratum& one : sample.strata)
        table.add({Count{one.stratum}, one.contested ? "disagree" : "agree", Count{one.images},
                   Count{one.drawn}, Number{one.weight, Unit::number, 1}});
    const std::string study = command_name(sample.study);
    if (sample.settled > 0 || sample.spared > 0)
        table.notes.push_back(fmt::format(
            "{} other images are settled by the competition and count themselves; {} questions "
            "about drawn images have its answer and are not asked again",
            count_text(sample.settled), count_text(sample.spared)));
    table.notes.push_back(fmt::format("{} questions about these images in {}",
                                      count_text(sample.questions),
                                      sample.questions_file.string()));
    const std::string images = sample.images_folder.empty()
                                   ? ""
                                   : " --images " + shell_word(sample.images_folder.string());
    table.notes.push_back(fmt::format("next: assay serve --questions {} --task labels{}",
                                      shell_word(sample.questions_file.string()), images));
    table.notes.push_back(fmt::format("then: assay estimate show {} --answers VOTES", study));
    report.sections.push_back({.title = "", .blocks = {std::move(table)}, .sections = {}});
    report.result = json_of(sample);
    report.warnings = sample.warnings;
    return report;
}

Report report_of(const PoolEstimate& result) {
    Report report;
    report.records = table_of(result.classifiers);
    Section section;
    Table accuracies = classifier_table(result);
    for (const std::string& note : result.notes) accuracies.notes.push_back(note);
    if (result.precise_enough)
        accuracies.notes.push_back("the wanted precision is reached; you can stop");
    const std::uint64_t wanted = result.labels + result.unjudged + result.labels_needed.value_or(0);
    if (result.labels_needed && wanted <= result.drawn) {
        accuracies.notes.push_back(fmt::format(
            "about {} more labels reach the wanted precision: answer more of the {} drawn images",
            count_text(*result.labels_needed), count_text(result.drawn)));
    } else if (result.labels_needed) {
        accuracies.notes.push_back(fmt::format(
            "about {} more labels reach the wanted precision: assay estimate select {} --draw {}",
            count_text(*result.labels_needed), command_name(result.study), wanted));
    }
    section.blocks.emplace_back(std::move(accuracies));
    if (!result.pairs.empty()) section.blocks.emplace_back(pair_table(result));
    if (!result.groups.empty()) section.blocks.emplace_back(group_table(result));
    if (!result.classes.empty()) {
        section.blocks.emplace_back(class_table(result));
        report.records = table_of(result.classes);
    }
    report.sections.push_back(std::move(section));
    report.result = json_of(result);
    report.warnings = result.warnings;
    report.name_records("estimate");
    return report;
}

}  // namespace few_labels
}  // namespace assay
