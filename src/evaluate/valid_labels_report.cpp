// Shows results by valid label: tables for people, and their descriptions for programs.
#include <algorithm>

#include <fmt/format.h>

#include "assay/describe_result.h"
#include "evaluate/described_evaluate.h"
#include "evaluate/measurement_text.h"
#include "evaluate/score_report_details.h"

namespace assay {

Table valid_class_table(const ScoreReport& report) {
    using Show = Column::Show;
    const ValidLabels& labels = *report.valid_labels;
    Table table;
    table.title = fmt::format("{} on {}: classes by valid label", report.model, report.dataset);
    table.columns = {{"class", false},
                     {"name", false},
                     {"images"},
                     {"recall %", true, Show::value_and_interval},
                     {"among best"},
                     {"precision %", true, Show::value_and_interval},
                     {"AP %", true, Show::value_and_interval}};
    std::vector<const ValidClass*> classes;
    for (const ValidClass& c : labels.classes)
        if (c.images > 0 || c.among_best > 0) classes.push_back(&c);
    // The lowest recall is first, then the class with more images, whose recall is more precise.
    // Classes without a recall are last.
    std::ranges::stable_sort(classes, [](const ValidClass* a, const ValidClass* b) {
        const double x = a->recall.value.value_or(2), y = b->recall.value.value_or(2);
        return x != y ? x < y : a->images > b->images;
    });
    for (const ValidClass* c : classes)
        table.add({c->id, c->name == c->id ? "" : c->name, Count{c->images}, c->recall,
                   Count{c->among_best}, c->precision, c->average_precision});
    const std::size_t left = labels.classes.size() - classes.size();
    if (left > 0)
        table.add({fmt::format("{} classes without images", count_text(left)), "", Count{0}});
    table.notes.emplace_back(
        "images: those for which the class is valid. recall: those of them with the class among "
        "their g highest, for g valid labels");
    table.notes.emplace_back(
        "among best: all images with the class among their g highest, if these are known. "
        "precision: those of them for which it is valid");
    if (!labels.ranked_by.empty())
        table.notes.push_back("AP: average precision, ranked by the " + labels.ranked_by);
    const auto undefined = std::ranges::find_if(labels.classes, [](const ValidClass& c) {
        return c.images > 0 && !(c.recall.value && c.average_precision.value);
    });
    if (undefined != labels.classes.end())
        table.notes.push_back("undefined: " + (undefined->recall.value
                                                   ? undefined->average_precision.undefined
                                                   : undefined->recall.undefined));
    return table;
}

Table missed_labels_table(const ScoreReport& report) {
    using Show = Column::Show;
    const MissedLabels& missed = report.valid_labels->missed;
    Table table;
    table.title = fmt::format("{} on {}: what is missed", report.model, report.dataset);
    table.columns = {{"images", false}, {"of"}, {"%"}, {"interval", true, Show::interval}};
    const auto add = [&](const char* name, const Estimate& e) {
        table.add({name, Count{e.n}, e, e});
        if (!e.value) table.notes.push_back(fmt::format("{}: undefined: {}", name, e.undefined));
    };
    add("with several valid labels", missed.several);
    add("all valid labels found", missed.all_found);
    add("the predicted class is valid, another valid label is missed", missed.second_missed);
    add("the predicted class is not valid, a valid label is found", missed.first_wrong);
    add("no valid label found", missed.none_found);
    if (missed.sibling) add("a sibling instead of a missed label", *missed.sibling);
    table.notes.emplace_back(
        "found: among the g highest classes of an image with g valid labels. of: the labelled "
        "images, then those with several valid labels");
    if (missed.sibling)
        table.notes.emplace_back(
            "sibling: a class with the same parent in the hierarchy; of the images that miss a "
            "valid label");
    return table;
}

ResultType result_type(ResultOf<ValidClass>) {
    static constexpr auto rows = describe_result<ValidClass>(
        {.name = "ValidClass", .help = "One class over the images for which it is a valid label"},
        {
            part<&ValidClass::id>({}),
            part<&ValidClass::name>({}),
            part<&ValidClass::images>({.help = "Images for which the class is valid"}),
            part<&ValidClass::found>(
                {.help = "Of these, images with the class among their g highest, for g valid "
                         "labels. Images whose g highest classes are not known do not count"}),
            part<&ValidClass::among_best>(
                {.help = "All images with the class among their g classes with the highest scores, "
                         "if these are known"}),
            part<&ValidClass::recall>({.help = "`found` of `images`"}),
            part<&ValidClass::precision>({.help = "`found` of `among_best`"}),
            part<&ValidClass::average_precision>(
                {.help = "Average precision of the class's scores over the labelled images"}),
        });
    return rows;
}

ResultType result_type(ResultOf<ShownValidClass>) {
    static constexpr auto rows = describe_result<ShownValidClass>(
        {.name = "ValidClassColumns",
         .columns = "valid_n=valid.images,found=valid.found,among_best=valid.among_best,"
                    "recall=valid.recall*,precision=valid.precision*,"
                    "average_precision=valid.average_precision*"},
        {part<&ShownValidClass::valid>({})});
    return rows;
}

ResultType result_type(ResultOf<MissedLabels>) {
    static constexpr auto rows = describe_result<MissedLabels>(
        {.name = "MissedLabels",
         .help = "What is missed among the g highest classes of images with g valid labels"},
        {
            part<&MissedLabels::several>(
                {.help = "Of the labelled images: those with several valid labels"}),
            part<&MissedLabels::all_found>(
                {.help = "Of the images with several valid labels: those with all of them found"}),
            part<&MissedLabels::second_missed>(
                {.help = "The predicted class is valid, and another valid label is missed"}),
            part<&MissedLabels::first_wrong>(
                {.help = "The predicted class is not valid, but a valid label is found"}),
            part<&MissedLabels::none_found>({.help = "No valid label is found"}),
            part<&MissedLabels::sibling>(
                {.help = "With `--hierarchy`: of the images that miss a valid label, those with a "
                         "sibling of it in its place",
                 .omitted = true}),
        });
    return rows;
}

namespace {

std::vector<ShownConfusion> valid_confusions_of(const ScoreReport& report) {
    std::vector<ShownConfusion> out;
    for (const Confusion& confusion : report.valid_labels->confusions)
        out.push_back({&report, confusion, true});
    return out;
}

}  // namespace

ResultType result_type(ResultOf<ShownValidLabels>) {
    static constexpr auto rows = describe_result<ShownValidLabels>(
        {.name = "ValidLabels",
         .help = "Results by class and by kind of error for images with several valid labels"},
        {
            part({.name = "missed"},
                 [](const ShownValidLabels& s) -> const MissedLabels& {
                     return s.report->valid_labels->missed;
                 }),
            part({.name = "classes"},
                 [](const ShownValidLabels& s) -> const std::vector<ValidClass>& {
                     return s.report->valid_labels->classes;
                 }),
            part({.help = "A predicted class that is not valid, with each valid label of the image",
                  .name = "confusions"},
                 [](const ShownValidLabels& s) { return valid_confusions_of(*s.report); }),
            part({.help = "What ranks the images in `average_precision`", .name = "ranked_by"},
                 [](const ShownValidLabels& s) -> const std::string& {
                     return s.report->valid_labels->ranked_by;
                 }),
        });
    return rows;
}

}  // namespace assay
