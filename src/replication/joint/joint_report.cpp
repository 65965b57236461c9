#include "replication/joint/joint_report.h"

#include <fmt/format.h>

#include <cmath>

#include "assay/describe_result.h"
#include "core/result_table.h"
#include "core/text.h"
#include "replication/step_tables.h"

namespace assay::replication {

ResultType result_type(ResultOf<DropParts>) {
    static constexpr auto rows = describe_result<DropParts>(
        {.name = "DropParts", .help = "total = remainder + labels + selection"},
        {
            part<&DropParts::total>({.help = "Accuracy on the original minus on the replication"}),
            part<&DropParts::remainder>({.help = "What remains if images have as many labels and "
                                                 "are as easy to select as the original's"}),
            part<&DropParts::labels>({.help = "Part from labels per image: mean of both orders"}),
            part<&DropParts::selection>({.help = "Part from selection: mean of both orders"}),
            part<&DropParts::labels_first>({.help = "Part from labels, if they change first"}),
            part<&DropParts::labels_last>({}),
            part<&DropParts::selection_first>({.help = "Part from selection, if it changes first"}),
            part<&DropParts::selection_last>({}),
            part<&DropParts::labels_given_rates>(
                {.help = "Part from labels per image, at equal selection rates"}),
            part<&DropParts::selection_of_rates>(
                {.help =
                     "Part from selection rates, including changes of labels that come with them"}),
        });
    return rows;
}

ResultType result_type(ResultOf<LabelStratum>) {
    using Of = LabelStratum;
    static constexpr auto rows = describe_result<Of>(
        {.name = "LabelStratum", .help = "Images with so many valid labels"},
        {
            part<&Of::labels>({.help = "How many: \"1\", \"2\", \"4 and more\""}),
            part<&Of::first_images>({.name = "original", .group = "images"}),
            part<&Of::second_images>({.name = "replication", .group = "images"}),
            part<&Of::first_accuracy>(
                {.help = "Means over classifiers", .name = "original", .group = "accuracy"}),
            part<&Of::second_accuracy>({.name = "replication", .group = "accuracy"}),
            part<&Of::first_rate>(
                {.help = "Mean selection frequencies", .name = "original", .group = "rate"}),
            part<&Of::second_rate>({.name = "replication", .group = "rate"}),
            part<&Of::above>({.help = "Share of the original's images with larger selection rates "
                                      "than 99 % of the replication's"}),
        });
    return rows;
}

namespace {

struct ClassifierDrop {
    const std::string* name;
    const DropParts* parts;
};
ResultType result_type(ResultOf<ClassifierDrop>) {
    static constexpr auto rows = describe_result<ClassifierDrop>(
        {.name = "ClassifierDrop"},
        {part<&ClassifierDrop::name>({}), part<&ClassifierDrop::parts>({.inlined = true})});
    return rows;
}

}  // namespace

ResultType result_type(ResultOf<NamedJointReport>) {
    using Of = NamedJointReport;
    static constexpr auto rows = describe_result<Of>(
        {.name = "JointDecomposition",
         .help = "How much of the drop comes from labels per image, and how much from selection"},
        {
            part<&Of::joint, &JointReport::undefined>(
                {.help = "Why there are no parts", .omitted = true}),
            part({.name = "mean", .omitted = true},
                 [](const Of& o) {
                     return o.joint->undefined.empty() ? std::optional(o.joint->mean)
                                                       : std::nullopt;
                 }),
            part({.name = "classifiers", .omitted = true},
                 [](const Of& o) {
                     std::vector<ClassifierDrop> out;
                     for (std::size_t m = 0; m < o.joint->classifiers.size(); ++m)
                         out.push_back({&(*o.names)[m], &o.joint->classifiers[m]});
                     return out;
                 }),
            part<&Of::joint, &JointReport::strata>({.omitted = true}),
        });
    return rows;
}

namespace {

using Show = Column::Show;

Table parts_table(const JointReport& joint, const std::vector<std::string>& classifiers) {
    Table table = empty_table("Labels per image and selection together, by pl, in points",
                              {{"classifier", false},
                               {"drop", true, Show::value_and_half},
                               {"remains", true, Show::value_and_half},
                               {"labels per image", true, Show::value_and_half},
                               {"selection", true, Show::value_and_half}});
    const auto add = [&](const std::string& name, const DropParts& p) {
        table.add({name, p.total, p.remainder, p.labels, p.selection});
    };
    for (std::size_t m = 0; m < classifiers.size(); ++m) add(classifiers[m], joint.classifiers[m]);
    table.rule();
    add("mean", joint.mean);
    table.notes.emplace_back(
        "labels per image, selection: means over the two orders in which they change; neither "
        "proves a cause");
    table.notes.emplace_back(
        "the numbers of labels are assumed to be correct: errors in them move points from the "
        "labels to the other parts");
    return table;
}

Table order_table(const DropParts& mean) {
    Table table = empty_table("By order and by reading, means over classifiers",
                              {{"reading", false},
                               {"labels per image", true, Show::value_and_half},
                               {"selection", true, Show::value_and_half}});
    table.add({"labels change first", mean.labels_first, mean.selection_last});
    table.add({"selection changes first", mean.labels_last, mean.selection_first});
    table.add({"labels at equal rates", mean.labels_given_rates, mean.selection_of_rates});
    return table;
}

Table strata_table(const JointReport& joint) {
    Table table = empty_table("Images by number of valid labels", {{"labels"},
                                                                   {"original"},
                                                                   {"replication"},
                                                                   {"original %"},
                                                                   {"replication %"},
                                                                   {"selected, original %"},
                                                                   {"selected, replication %"}});
    const auto percent = [](double value) {
        return Number{.value = value, .unit = Unit::proportion, .digits = 1};
    };
    for (const LabelStratum& s : joint.strata)
        table.add({s.labels, Count{s.first_images}, Count{s.second_images},
                   percent(s.first_accuracy), percent(s.second_accuracy), percent(s.first_rate),
                   percent(s.second_rate)});
    return table;
}

/// Returns text such as "7.5 (6.0 to 9.0)", in points.
std::string with_ends(const Estimate& e) {
    const double half = half_width(e);
    const std::string value = number_text(*e.value, half, e.unit);
    if (!e.interval) return value;
    return fmt::format("{} ({} to {})", value, number_text(e.interval->low, half, e.unit),
                       number_text(e.interval->high, half, e.unit));
}

}  // namespace

std::string drop_sentence(const JointReport& report) {
    if (!report.undefined.empty()) return "";
    const DropParts& m = report.mean;
    const double through = *m.labels.value - *m.labels_given_rates.value;
    std::string out = fmt::format(
        "The drop of {} points is {} that remain, {} from labels per image and {} from "
        "selection.\nAt equal selection rates labels per image make {} points; the other {} come "
        "with "
        "the rates.",
        with_ends(m.total), with_ends(m.remainder), with_ends(m.labels), with_ends(m.selection),
        with_ends(m.labels_given_rates),
        number_text(through, half_width(m.labels_given_rates), Unit::proportion));
    const double apart = std::abs(*m.labels_first.value - *m.labels_last.value);
    if (apart > half_width(m.labels_first) || apart > half_width(m.labels_last))
        out +=
            "\nThe two causes act together: which one changes first decides, so neither has a "
            "single share.";
    return out;
}

void add_joint(const JointReport& joint, const std::vector<std::string>& classifiers,
               Section& section, std::vector<std::string>& warnings) {
    if (!joint.undefined.empty()) {
        warnings.push_back("labels and selection are not separated: " + joint.undefined);
        return;
    }
    section.blocks.emplace_back(parts_table(joint, classifiers));
    section.blocks.emplace_back(order_table(joint.mean));
    section.blocks.emplace_back(strata_table(joint));
    section.blocks.emplace_back(drop_sentence(joint));
    warnings.insert(warnings.end(), joint.warnings.begin(), joint.warnings.end());
}

}  // namespace assay::replication
