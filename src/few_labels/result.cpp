#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assay/describe_result.h"
#include "assay/few_labels/estimate.h"
#include "core/result_table.h"
#include "core/shell_word.h"
#include "few_labels/described_few_labels.h"

namespace assay {

using namespace few_labels;

ResultType result_type(ResultOf<DrawnStratum>) {
    using Of = DrawnStratum;
    static constexpr auto rows = describe_result<Of>(
        {.name = "DrawnStratum", .columns = "stratum,contested,images,drawn,weight"},
        {part<&Of::stratum>({}),
         part<&Of::contested>({.help = "Its classifiers predict different labels"}),
         part<&Of::images>({.help = "Of the pool"}), part<&Of::drawn>({}),
         part<&Of::weight>({.help = "Images that a drawn one stands for"})});
    return rows;
}

ResultType result_type(ResultOf<DrawnSample>) {
    using Of = DrawnSample;
    static constexpr auto rows = describe_result<Of>(
        {.name = "DrawnSample",
         .help = "What `assay estimate select` prints",
         .schema = "assay.estimate_sample/1"},
        {part<&Of::study>({}), part<&Of::dataset>({}), part<&Of::classifiers>({}),
         part<&Of::images>({.help = "Of the pool: those with scores of every classifier"}),
         part<&Of::left_out>({.help = "Without a finite score of every classifier"}),
         part<&Of::drawn>({.help = "In all rounds"}), part<&Of::added>({.help = "In this round"}),
         part<&Of::questions>({.help = "Of this round"}), part<&Of::questions_file>({}),
         part<&Of::images_folder>({.help = "Empty where it is not known"}), part<&Of::strata>({}),
         part<&Of::warnings>({})});
    return rows;
}

ResultType result_type(ResultOf<EstimatedStratum>) {
    using Of = EstimatedStratum;
    static constexpr auto rows = describe_result<Of>(
        {.name = "EstimatedStratum", .columns = "stratum,contested,images,drawn,labels,unjudged"},
        {part<&Of::stratum>({}), part<&Of::contested>({}), part<&Of::images>({}),
         part<&Of::drawn>({}), part<&Of::labels>({.help = "Drawn images whose answers are used"}),
         part<&Of::unjudged>({.help = "Drawn images that nobody can judge"})});
    return rows;
}

ResultType result_type(ResultOf<EstimatedClassifier>) {
    using Of = EstimatedClassifier;
    static constexpr auto rows = describe_result<Of>(
        {.name = "EstimatedClassifier",
         .columns = "classifier,accuracy=accuracy.value,low=accuracy.interval.low,"
                    "high=accuracy.interval.high,labels,random_sample,"
                    "overconfidence=overconfidence.value"},
        {part<&Of::classifier>({}), part<&Of::accuracy>({}),
         part<&Of::overconfidence>({.help = "Mean confidence minus accuracy"}),
         part<&Of::factor>({.help = "By which the regression reduces the variance"}),
         part<&Of::labels>({}),
         part<&Of::random_sample>(
             {.help = "Labels that a simple random sample needs for this width"})});
    return rows;
}

ResultType result_type(ResultOf<EstimatedPair>) {
    using Of = EstimatedPair;
    static constexpr auto rows = describe_result<Of>(
        {.name = "EstimatedPair"},
        {part<&Of::first>({}), part<&Of::second>({}),
         part<&Of::difference>({.help = "Accuracy of the first minus that of the second"}),
         part<&Of::disagreement>({.help = "Proportion of images with different labels"}),
         part<&Of::labels>({.help = "Of these images"})});
    return rows;
}

ResultType result_type(ResultOf<EstimatedGroup>) {
    using Of = EstimatedGroup;
    static constexpr auto rows =
        describe_result<Of>({.name = "EstimatedGroup"},
                            {part<&Of::group>({}), part<&Of::classifier>({}), part<&Of::images>({}),
                             part<&Of::labels>({}), part<&Of::accuracy>({})});
    return rows;
}

ResultType result_type(ResultOf<PoolEstimate>) {
    using Of = PoolEstimate;
    static constexpr auto rows = describe_result<Of>(
        {.name = "PoolEstimate",
         .help = "What `assay estimate show` prints",
         .schema = "assay.estimate/1"},
        {part<&Of::study>({}),
         part<&Of::dataset>({}),
         part<&Of::images>({.help = "Of the pool"}),
         part<&Of::left_out>({.help = "Without a finite score of every classifier"}),
         part<&Of::drawn>({.help = "In all rounds"}),
         part<&Of::labels>({.help = "Drawn images whose answers are used"}),
         part<&Of::behind_gap>(
             {.help = "Answered, but an image before it in the random order is not"}),
         part<&Of::unjudged>({.help = "Drawn images that nobody can judge"}),
         part<&Of::answers_ignored>({.help = "About other images or labels"}),
         part<&Of::level>({}),
         part<&Of::quantile>({.help = "1.96 for 95 %, more with --peek"}),
         part<&Of::by>({.help = "Attribute of the groups"}),
         part<&Of::strata>({}),
         part<&Of::classifiers>({}),
         part<&Of::pairs>({}),
         part<&Of::groups>({}),
         part<&Of::best>({.help = "The highest estimate"}),
         part<&Of::not_resolved>({.help = "Classifiers whose difference from the best may be 0"}),
         part<&Of::half_width>({.help = "Of the widest interval that --stop-at is about"}),
         part<&Of::labels_needed>({.help = "More labels until --stop-at is reached"}),
         part<&Of::precise_enough>({.help = "--stop-at is reached"}),
         part<&Of::notes>({}),
         part<&Of::warnings>({})});
    return rows;
}

namespace few_labels {
namespace {

std::string command_name(const std::filesystem::path& path) {
    return shell_word(path.string());
}

void add_strata_note(Table& table, const PoolEstimate& result) {
    std::uint64_t images = 0, labels = 0;
    for (const EstimatedStratum& one : result.strata) {
        if (one.contested) continue;
        images += one.images;
        labels += one.labels;
    }
    table.notes.push_back(fmt::format(
        "all classifiers agree on {:.1f} % of the images ({} labels); they disagree on the others "
        "({} labels)",
        100 * static_cast<double>(images) / static_cast<double>(result.images), labels,
        result.labels - labels));
}

Table classifier_table(const PoolEstimate& result) {
    Table table;
    table.title = fmt::format("Accuracy on {} images of {} from {} labelled ones",
                              count_text(result.images), result.dataset, count_text(result.labels));
    table.columns = {{"classifier", false},
                     {"accuracy %", true, Column::Show::value_and_interval},
                     {"random sample would need", true},
                     {"overconfidence %", true, Column::Show::value_and_interval, true}};
    for (const EstimatedClassifier& one : result.classifiers) {
        Cell needed;
        if (one.random_sample) needed = Count{*one.random_sample};
        table.add({one.classifier, one.accuracy, std::move(needed), one.overconfidence});
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
    for (const EstimatedPair& pair : result.pairs)
        table.add({pair.first, pair.second, pair.difference,
                   Number{pair.disagreement, Unit::proportion, 1}, Count{pair.labels}});
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
    for (const EstimatedGroup& one : result.groups)
        table.add({one.group, one.classifier, Count{one.images}, Count{one.labels}, one.accuracy});
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
    report.sections.push_back(std::move(section));
    report.result = json_of(result);
    report.warnings = result.warnings;
    report.name_records("estimate");
    return report;
}

}  // namespace few_labels
}  // namespace assay
