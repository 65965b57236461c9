// Writes an Aggregation as JSON.
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "annotation/aggregate_parts.h"
#include "annotation/problems_report.h"
#include "assay/describe_result.h"
#include "core/text.h"
#include "metric/measurement_result.h"

namespace assay {

std::vector<std::string> notes_of(const Aggregation& a) {
    std::vector<std::string> out;
    if (a.fitted) out = a.fitted->notes;
    if (a.which) out = a.which->notes;
    if (a.votes.which_class) {
        out.push_back(fmt::format(
            "votes name one class of an image: the class with the {} is kept. A vote counts "
            "as yes to its class and no to the other classes that were chosen for the image",
            a.which ? "highest posterior" : "most votes"));
        if (a.vote_ties > 0)
            out.push_back(fmt::format(
                "{}: several classes have the most votes; how often their annotators are right, "
                "and how frequent the classes are, decides",
                how_many(a.vote_ties, "image")));
        if (a.ties > 0)
            out.push_back(fmt::format("ties: {}: several classes have the {}, so none is kept",
                                      how_many(a.ties, "image"),
                                      a.which ? "highest posterior" : "most votes"));
    }
    for (const auto& [name, m] : {std::pair{"Fleiss' kappa", &a.agreement.fleiss_kappa},
                                  {"Krippendorff's alpha", &a.agreement.krippendorff_alpha}}) {
        if (!m->value) out.push_back(fmt::format("{} is undefined: {}", name, m->undefined));
        if (!m->note.empty()) out.push_back(fmt::format("{}: {}", name, m->note));
    }
    if (a.unweighted > 0) {
        out.push_back(fmt::format(
            "{} questions have only annotators of weight 0: their plain proportion is used",
            count_text(a.unweighted)));
    }
    if (a.votes.pooled > 0) {
        out.push_back(
            fmt::format("{} questions were asked under several names of an image or "
                        "label: their votes are counted together",
                        count_text(a.votes.pooled)));
    }
    if (a.votes.repeated > 0) {
        out.push_back(fmt::format("{} votes repeat a question to the same annotator",
                                  count_text(a.votes.repeated)));
    }
    return out;
}

std::vector<double> thresholds_shown(const Aggregation& a) {
    std::vector<double> out = {0.99, 0.999, a.rule.threshold};
    for (int i = 1; i < 20; ++i) out.push_back(i / 20.0);
    for (const ThresholdPoint* best : {a.curve->best_agreement(), a.curve->best_sets()}) {
        if (best != nullptr) out.push_back(best->threshold);
    }
    std::ranges::sort(out, std::greater<>());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

namespace {

struct ShownThreshold {
    const Aggregation* of;
    const ThresholdPoint* point;
    double threshold;

    Estimate shown(Estimate (ThresholdCurve::*what)(const ThresholdPoint&, double) const) const {
        return (*of->curve.*what)(*point, of->options.level);
    }
};
ResultType result_type(ResultOf<ShownThreshold>) {
    using Of = ShownThreshold;
    static constexpr auto rows = describe_result<Of>(
        {.name = "VoteThreshold", .help = "Result of keeping every label that reaches a threshold"},
        {
            part<&Of::threshold>({}),
            part<&Of::point, &ThresholdPoint::kept>({.help = "Questions"}),
            part<&Of::point, &ThresholdPoint::both_accept>(
                {.help = "Of these, labels that the reference accepts"}),
            part({.name = "precision"},
                 [](const Of& o) { return o.shown(&ThresholdCurve::precision); }),
            part({.name = "recall"}, [](const Of& o) { return o.shown(&ThresholdCurve::recall); }),
            part({.name = "agreement"},
                 [](const Of& o) { return o.shown(&ThresholdCurve::agreement); }),
            part({.help = "Images", .name = "same_set"},
                 [](const Of& o) { return o.shown(&ThresholdCurve::same_sets); }),
        });
    return rows;
}

struct ShownCurve {
    const Aggregation* of;
    const ThresholdCurve* curve;

    std::optional<ShownThreshold> best(const ThresholdPoint* point) const {
        if (point == nullptr) return std::nullopt;
        return ShownThreshold{of, point, point->threshold};
    }
    std::vector<ShownThreshold> points() const {
        std::vector<ShownThreshold> out;
        for (const double threshold : thresholds_shown(*of)) {
            if (const ThresholdPoint* const point = curve->at(threshold); point != nullptr)
                out.push_back({of, point, threshold});
        }
        return out;
    }
};
ResultType result_type(ResultOf<ShownCurve>) {
    using Of = ShownCurve;
    static constexpr auto rows = describe_result<Of>(
        {.name = "VoteThresholds"},
        {
            part<&Of::curve, &ThresholdCurve::questions>(
                {.help = "Pairs of image and label in both label sets"}),
            part<&Of::curve, &ThresholdCurve::accepted>(
                {.help = "Of these, labels that the reference accepts"}),
            part<&Of::curve, &ThresholdCurve::items>({}),
            part<&Of::points>({.help = "True for the rows that the text output shows"}),
            part({.name = "best_agreement"},
                 [](const Of& o) { return o.best(o.curve->best_agreement()); }),
            part({.name = "best_same_set"},
                 [](const Of& o) { return o.best(o.curve->best_sets()); }),
        });
    return rows;
}

struct ShownComparison {
    const Aggregation* of;
    const LabelSetComparison* found;
};
ResultType result_type(ResultOf<ShownComparison>) {
    using Of = ShownComparison;
    using Found = LabelSetComparison;
    static constexpr auto rows = describe_result<Of>(
        {.name = "VoteComparison", .help = "Comparison of the labels with those of `--against`"},
        {
            part({.name = "with"}, [](const Of& o) { return o.of->options.against.filename(); }),
            part<&Of::found, &Found::agreement>(
                {.help = "Proportion that both accept or both reject"}),
            part<&Of::found, &Found::both_accept>({.help = "Questions"}),
            part<&Of::found, &Found::both_reject>({}),
            part<&Of::found, &Found::only_first>({.name = "only_these"}),
            part<&Of::found, &Found::only_second>({.name = "only_those"}),
            part<&Of::found, &Found::items>(
                {.help = "Number of annotated images that were compared"}),
            part<&Of::found, &Found::same_set>({.help = "Of these"}),
            part<&Of::found, &Found::precision>({.help = "Precision of the kept labels"}),
            part<&Of::found, &Found::recall>(
                {.help = "Recall of the labels that the reference accepts"}),
            part({.name = "thresholds"},
                 [](const Of& o) {
                     return ShownCurve{o.of, &*o.of->curve};
                 }),
        });
    return rows;
}

struct ShownAnnotator {
    const Aggregation* of;
    std::size_t annotator;
    const AnnotatorQuality* quality;
};
ResultType result_type(ResultOf<ShownAnnotator>) {
    using Of = ShownAnnotator;
    static constexpr auto rows = describe_result<Of>(
        {.name = "AnnotatorQuality"},
        {
            part({.name = "annotator"},
                 [](const Of& o) { return o.of->votes.annotators[o.annotator]; }),
            part<&Of::quality, &AnnotatorQuality::answers>({}),
            part<&Of::quality, &AnnotatorQuality::given>({.help = "How often each answer"}),
            part<&Of::quality, &AnnotatorQuality::confusion>(
                {.help = "Probability of each answer, by latent class"}),
            part<&Of::quality, &AnnotatorQuality::accuracy>({.help = "Under the posteriors"}),
            part<&Of::quality, &AnnotatorQuality::agreement>(
                {.help = "Agreement with other annotators' answers to the same questions"}),
            part({.name = "weight", .omitted = true},
                 [](const Of& o) {
                     return o.of->weights.empty() ? nullptr : &o.of->weights[o.annotator];
                 }),
        });
    return rows;
}

std::vector<ShownAnnotator> shown_annotators(const Aggregation& a) {
    std::vector<ShownAnnotator> out;
    for (std::size_t i = 0; i < a.annotators.size(); ++i) out.push_back({&a, i, &a.annotators[i]});
    return out;
}

struct ShownFit {
    const DawidSkene* fit;
};
ResultType result_type(ResultOf<ShownFit>) {
    using Of = ShownFit;
    static constexpr auto rows = describe_result<Of>(
        {.name = "DawidSkeneFit"},
        {
            part<&Of::fit, &DawidSkene::latents>({.help = "Latent classes"}),
            part<&Of::fit, &DawidSkene::prior>({}),
            part<&Of::fit, &DawidSkene::passes>({.help = "Over all votes"}),
            part<&Of::fit, &DawidSkene::converged>({}),
            part<&Of::fit, &DawidSkene::objective>({.help = "One per pass that was kept"}),
            part<&Of::fit, &DawidSkene::log_likelihood>({.help = "In nats"}),
            part<&Of::fit, &DawidSkene::reordered>({.help = "The latent classes were sorted"}),
        });
    return rows;
}

struct ShownGroup {
    const Aggregation* of;
    const AnswerTogether* group;

    std::vector<std::string> names() const {
        std::vector<std::string> out;
        for (const std::uint32_t r : group->annotators) out.emplace_back(of->votes.annotators[r]);
        return out;
    }
};
ResultType result_type(ResultOf<ShownGroup>) {
    using Of = ShownGroup;
    static constexpr auto rows = describe_result<Of>(
        {.name = "AnswerTogether", .help = "Annotators whose answers are not independent"},
        {
            part({.name = "annotators"}, [](const Of& o) { return o.names(); }),
            part<&Of::group, &AnswerTogether::agreement>({.help = "Proportion of equal answers"}),
            part<&Of::group, &AnswerTogether::expected>({.help = "What their accuracies explain"}),
            part<&Of::group, &AnswerTogether::shared>({.help = "Pairs of answers to one image"}),
        });
    return rows;
}

struct ShownWhichClass {
    const Aggregation* of;
    const WhichClassFit* fit;

    std::vector<ShownGroup> together() const {
        std::vector<ShownGroup> out;
        for (const AnswerTogether& group : fit->together) out.push_back({of, &group});
        return out;
    }
    std::map<std::string, double> proportions() const {
        std::map<std::string, double> out;
        for (std::size_t l = 0; l < fit->proportions.size(); ++l)
            out[std::string(of->votes.labels[l])] = fit->proportions[l];
        return out;
    }
};
ResultType result_type(ResultOf<ShownWhichClass>) {
    using Of = ShownWhichClass;
    static constexpr auto rows = describe_result<Of>(
        {.name = "WhichClassFit", .help = "Dawid-Skene of votes that name a class"},
        {
            part<&Of::fit, &WhichClassFit::passes>({.help = "Over all votes"}),
            part<&Of::fit, &WhichClassFit::converged>({}),
            part<&Of::fit, &WhichClassFit::strength>(
                {.help =
                     "Weight of the prior of a confusion matrix's row, as a number of answers"}),
            part<&Of::proportions>({.help = "Proportion of each class, over the images"}),
            part({.help = "Images whose likeliest class no annotator chose for them",
                  .name = "unchosen"},
                 [](const Of& o) { return o.fit->unchosen.size(); }),
            part<&Of::together>({.help = "Their equal answers to an image count as one"}),
        });
    return rows;
}

}  // namespace

ResultType result_type(ResultOf<Aggregation>) {
    using Of = Aggregation;
    static constexpr auto rows = describe_result<Of>(
        {.name = "LabelVotes",
         .help = "Label sets of people's votes",
         .schema = "assay.label_votes/2"},
        {
            part({.help = "The file of votes", .name = "source"},
                 [](const Of& o) { return o.options.votes.filename(); }),
            part<&Of::options, &AggregateOptions::method>({}),
            part<&Of::votes, &Votes::read>({.group = "votes"}),
            part({.name = "used", .group = "votes"}, [](const Of& o) { return o.votes.used(); }),
            part<&Of::original_votes>(
                {.help = "Of the used votes, those that come from the original labels",
                 .name = "original_labels",
                 .group = "votes"}),
            part<&Of::votes, &Votes::repeated>({.group = "votes"}),
            part<&Of::votes, &Votes::pooled>({.name = "pooled_questions", .group = "votes"}),
            part({.name = "annotators"}, [](const Of& o) { return o.votes.annotators.size(); }),
            part<&Of::votes, &Votes::questions>({}),
            part({.name = "images"}, [](const Of& o) { return o.votes.items.size(); }),
            part(
                {.help = "Their names", .name = "answers"},
                [](const Of& o) -> const auto& { return o.votes.scale.names; }),
            part<&Of::rule, &KeepRule::threshold>({.group = "rule"}),
            part<&Of::rule, &KeepRule::above>({.help = "More than the threshold", .group = "rule"}),
            part<&Of::built, &BuiltLabelSets::kept>({.name = "labels_kept"}),
            part<&Of::implied_labels>({.help = "Labels that follow from others by `--hierarchy`"}),
            part<&Of::contradictions>({.help = "Of these, those that annotators rejected",
                                       .name = "implied_and_rejected"}),
            part({.name = "all", .group = "items"},
                 [](const Of& o) { return o.built.sets.size(); }),
            part<&Of::built, &BuiltLabelSets::emptied>(
                {.name = "annotated_without_label", .group = "items"}),
            part<&Of::built, &BuiltLabelSets::original>(
                {.help = "Not annotated: they have their original labels", .group = "items"}),
            part<&Of::built, &BuiltLabelSets::left_out>({.group = "items"}),
            part({.help = "Images by their number of labels: `1` to `5`, `>5`, `none`",
                  .name = "labels_per_image"},
                 [](const Of& o) {
                     std::map<std::string, std::uint64_t> out;
                     for (const LabelsPerImage& row : o.histogram)
                         out[std::string(row.labels)] = row.images;
                     return out;
                 }),
            part({.help = "Fleiss' kappa and Krippendorff's alpha", .name = "measurements"},
                 [](const Of& o) {
                     return std::array{std::cref(o.agreement.fleiss_kappa),
                                       std::cref(o.agreement.krippendorff_alpha)};
                 }),
            part<&Of::agreement, &AnswerAgreement::pairless>(
                {.help = "Questions that neither measurement uses",
                 .name = "questions_with_one_answer_or_none"}),
            part({.name = "notes"}, [](const Of& o) { return notes_of(o); }),
            part(
                {.help = "Votes that were not used, and why", .name = "votes", .group = "problems"},
                [](const Of& o) -> const auto& { return o.votes.problems.kinds(); }),
            part(
                {.name = "items", .group = "problems"},
                [](const Of& o) -> const auto& { return o.built.problems.kinds(); }),
            part({.help = "The fit, if the method is dawid-skene",
                  .name = "dawid_skene",
                  .omitted = true},
                 [](const Of& o) {
                     return o.fitted ? std::optional(ShownFit{&*o.fitted}) : std::nullopt;
                 }),
            part({.help = "With that method, of votes that name a class",
                  .name = "which_class",
                  .omitted = true},
                 [](const Of& o) {
                     return o.which ? std::optional(ShownWhichClass{&o, &*o.which}) : std::nullopt;
                 }),
            part({.help = "With `--against`", .name = "comparison", .omitted = true},
                 [](const Of& o) {
                     return o.comparison ? std::optional(ShownComparison{&o, &*o.comparison})
                                         : std::nullopt;
                 }),
            part({.help = "With `--annotators`", .name = "annotator_quality", .omitted = true},
                 [](const Of& o) {
                     return o.options.list_annotators ? std::optional(shown_annotators(o))
                                                      : std::nullopt;
                 }),
        });
    return rows;
}

}  // namespace assay
