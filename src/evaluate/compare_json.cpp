#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "evaluate/described_evaluate.h"

namespace assay {

ResultType result_type(ResultOf<PairedMetric>) {
    static constexpr auto key = &Measurement::key;
    static constexpr auto candidate = &PairedMetric::candidate;
    static constexpr auto rows = describe_result<PairedMetric>(
        {.name = "PairedMetric", .help = "A metric of two models on the items of both"},
        {
            part<candidate, key, &MeasurementKey::metric>({}),
            part<candidate, key, &MeasurementKey::definition>({}),
            part<&PairedMetric::baseline>({}),
            part<candidate>({}),
            part<&PairedMetric::difference>({.help = "Candidate minus baseline"}),
            part<candidate, &Measurement::higher_is_better>({}),
            part({.help = "Of accuracies: items", .name = "only_baseline_correct", .omitted = true},
                 [](const PairedMetric& m) { return m.counts ? &m.counts->b : nullptr; }),
            part({.help = "Likewise", .name = "only_candidate_correct", .omitted = true},
                 [](const PairedMetric& m) { return m.counts ? &m.counts->c : nullptr; }),
            part({.help = "Mid-p of McNemar's test: the observed table counts half",
                  .name = "mid_p",
                  .omitted = true},
                 [](const PairedMetric& m) { return m.counts ? &m.counts->mid_p : nullptr; }),
            part<&PairedMetric::p>({.help = "Two-sided p-value of no difference", .omitted = true}),
            part<&PairedMetric::p_holm>(
                {.help = "Adjusted metric by metric over the candidates", .omitted = true}),
            part<&PairedMetric::test>({.omitted = true}),
            part<&PairedMetric::clusters>(
                {.help = "Of a group of images, with `--cluster`", .omitted = true}),
            part<&PairedMetric::verdict>(
                {.script = R"("no difference shown" | "better" | "worse")", .omitted = true}),
        });
    return rows;
}

namespace {

struct ShownDisagreement {
    const PairReport* report;
    const Disagreement* item;

    nlohmann::json class_of(std::int32_t c) const {
        if (c < 0) return nullptr;
        const auto k = static_cast<std::size_t>(c);
        return k < report->classes.size() ? nlohmann::json(report->classes.id(k))
                                          : nlohmann::json(c);
    }
    nlohmann::json baseline() const { return class_of(item->baseline); }
    nlohmann::json candidate() const { return class_of(item->candidate); }
    std::vector<nlohmann::json> labels() const {
        std::vector<nlohmann::json> out;
        for (const std::int32_t c : item->labels) out.push_back(class_of(c));
        return out;
    }
};
ResultType result_type(ResultOf<ShownDisagreement>) {
    static constexpr auto item = &ShownDisagreement::item;
    static constexpr std::string_view a_class = "string | number | null";
    static constexpr auto rows = describe_result<ShownDisagreement>(
        {.name = "Disagreement", .help = "An item for which the two predict different classes"},
        {
            part<item, &Disagreement::id>({}),
            part<&ShownDisagreement::labels>({.script = "(string | number | null)[]"}),
            part<&ShownDisagreement::baseline>(
                {.help = "The class's id, or its number if there are no ids; null for no class",
                 .script = a_class}),
            part<&ShownDisagreement::candidate>({.script = a_class}),
            part<item, &Disagreement::baseline_confidence>({}),
            part<item, &Disagreement::candidate_confidence>({}),
            part<item, &Disagreement::baseline_correct>({}),
            part<item, &Disagreement::candidate_correct>({}),
        });
    return rows;
}

std::vector<ShownDisagreement> disagreements_of(const PairReport& report) {
    std::vector<ShownDisagreement> out;
    for (const Disagreement& item : report.disagreements) out.push_back({&report, &item});
    return out;
}

}  // namespace

ResultType result_type(ResultOf<PairReport>) {
    static constexpr auto rows = describe_result<PairReport>(
        {.name = "ComparedPair", .schema = "assay.compare/2"},
        {
            part<&PairReport::baseline>({}),
            part<&PairReport::candidate>({}),
            part<&PairReport::dataset>({}),
            part<&PairReport::candidate_dataset>({}),
            part<&PairReport::items>(
                {.help = "Common items with scores in both", .group = "counts"}),
            part<&PairReport::only_baseline>({.name = "only_in_baseline", .group = "counts"}),
            part<&PairReport::only_candidate>({.name = "only_in_candidate", .group = "counts"}),
            part<&PairReport::not_scored>({.help = "Common items without scores in one of them",
                                           .name = "not_scored_in_both",
                                           .group = "counts"}),
            part<&PairReport::same_prediction>({.name = "same", .group = "predictions"}),
            part<&PairReport::both_correct>(
                {.help = "Proportion of the items with valid labels", .group = "predictions"}),
            part<&PairReport::both_incorrect>({.group = "predictions"}),
            part<&PairReport::only_baseline_correct>({.group = "predictions"}),
            part<&PairReport::only_candidate_correct>({.group = "predictions"}),
            part<&PairReport::error_consistency>(
                {.help = "Cohen's kappa of being correct", .group = "predictions"}),
            part({.name = "derived", .omitted = true},
                 [](const PairReport& pair) {
                     return pair.candidate_derived.any() ? &pair.candidate_derived : nullptr;
                 }),
            part<&PairReport::metrics>({}),
            part<&PairReport::groups>(
                {.help = "With `--by`: of `top1`, `real`, or both", .omitted = true}),
            part({.help = "The most confident first", .name = "disagreements"},
                 [](const PairReport& pair) { return disagreements_of(pair); }),
            part<&PairReport::notes>({}),
            part<&PairReport::warnings>({}),
        });
    return rows;
}

ResultType result_type(ResultOf<CompareResult>) {
    static constexpr auto rows = describe_result<CompareResult>(
        {.name = "ComparisonsResult",
         .help = "What `assay compare` prints",
         .schema = "assay.comparisons/2"},
        {part<&CompareResult::pairs>({}), part<&CompareResult::gates>({})});
    return rows;
}

nlohmann::json to_json(const PairReport& report) {
    return json_of(report);
}

nlohmann::json to_json(const CompareResult& result) {
    return json_of(result);
}

}  // namespace assay
