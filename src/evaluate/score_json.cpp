#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "evaluate/described_evaluate.h"

namespace assay {

ResultType result_type(ResultOf<ScoreCounts>) {
    static constexpr auto rows = describe_result<ScoreCounts>(
        {.name = "ScoreCounts", .help = "What became of each item"},
        {
            part<&ScoreCounts::items>({}),
            part<&ScoreCounts::missing>({.help = "Items in missing shards"}),
            part<&ScoreCounts::unreadable>({}),
            part<&ScoreCounts::not_finite>({}),
            part<&ScoreCounts::scored>({}),
            part<&ScoreCounts::unlabelled>({.help = "Scored items without a valid label"}),
            part<&ScoreCounts::multi_label>(
                {.help = "Of the scored items, those with several valid labels"}),
            part<&ScoreCounts::unnamed>(
                {.help = "Items that the file of `--labels` does not name"}),
        });
    return rows;
}

ResultType result_type(ResultOf<ClassResult>) {
    static constexpr auto rows = describe_result<ClassResult>(
        {.name = "ClassScore",
         .help = "One class of a store",
         .columns = "class=id,name,n=accuracy.n,correct,accuracy=accuracy.value,"
                    "low=accuracy.interval.low,high=accuracy.interval.high,confidence,"
                    "target_probability"},
        {
            part<&ClassResult::id>({}),
            part<&ClassResult::name>({}),
            part<&ClassResult::correct>({}),
            part<&ClassResult::accuracy>({.help = "Undefined without items"}),
            part<&ClassResult::confidence>(
                {.help = "Mean of the top probability", .omitted = true}),
            part<&ClassResult::target_probability>(
                {.help = "Mean probability of this class over its items", .omitted = true}),
        });
    return rows;
}

ResultType result_type(ResultOf<ReliabilityBin>) {
    static constexpr auto rows = describe_result<ReliabilityBin>(
        {.name = "ReliabilityBin",
         .help = "Items of one confidence bin; if both ends are 1: items with a confidence of "
                 "exactly 1",
         .columns = "bin_low=low,bin_high=high,n=accuracy.n,correct,confidence,"
                    "accuracy=accuracy.value,low=accuracy.interval.low,"
                    "high=accuracy.interval.high"},
        {
            part<&ReliabilityBin::low>({}),
            part<&ReliabilityBin::high>({}),
            part<&ReliabilityBin::correct>({}),
            part<&ReliabilityBin::accuracy>({}),
            part<&ReliabilityBin::confidence>({.help = "Mean confidence; null without items"}),
        });
    return rows;
}

const ClassResult& ShownConfusion::truth() const {
    return report->per_class.at(static_cast<std::size_t>(confusion.truth));
}
const ClassResult* ShownConfusion::predicted() const {
    const std::int32_t k = confusion.predicted;
    return k < 0 ? nullptr : &report->per_class.at(static_cast<std::size_t>(k));
}

std::uint64_t ShownConfusion::images() const {
    return valid
               ? report->valid_labels->classes.at(static_cast<std::size_t>(confusion.truth)).images
               : truth().accuracy.n;
}

ResultType result_type(ResultOf<ShownConfusion>) {
    static constexpr auto rows = describe_result<ShownConfusion>(
        {.name = "Confusion",
         .help = "Items of one class for which another was predicted",
         .columns = "truth,truth_name,predicted,predicted_name,count,n,proportion"},
        {
            part({.name = "truth"},
                 [](const ShownConfusion& c) -> const std::string& { return c.truth().id; }),
            part({.help = "The predicted class; null if it is not in the class map",
                  .name = "predicted"},
                 [](const ShownConfusion& c) {
                     return c.predicted() ? &c.predicted()->id : nullptr;
                 }),
            part<&ShownConfusion::confusion, &Confusion::count>({}),
            part({.name = "truth_name", .only_csv = true},
                 [](const ShownConfusion& c) -> const std::string& { return c.truth().name; }),
            part({.name = "predicted_name", .only_csv = true},
                 [](const ShownConfusion& c) {
                     return c.predicted() ? &c.predicted()->name : nullptr;
                 }),
            part({.name = "n", .only_csv = true},
                 [](const ShownConfusion& c) { return c.images(); }),
            part({.name = "proportion", .only_csv = true},
                 [](const ShownConfusion& c) {
                     return static_cast<double>(c.confusion.count) /
                            static_cast<double>(c.images());
                 }),
        });
    return rows;
}

namespace {

struct LabelsPerImage {
    std::size_t labels;
    std::uint64_t items;
};
ResultType result_type(ResultOf<LabelsPerImage>) {
    static constexpr auto rows = describe_result<LabelsPerImage>(
        {.name = "LabelsPerImage", .help = "Items with so many valid labels, scored or not"},
        {part<&LabelsPerImage::labels>({}), part<&LabelsPerImage::items>({})});
    return rows;
}

std::vector<LabelsPerImage> labels_per_image(const ScoreReport& report) {
    std::vector<LabelsPerImage> out;
    for (std::size_t g = 0; g < report.labels_per_image.size(); ++g) {
        if (report.labels_per_image[g] > 0) out.push_back({g, report.labels_per_image[g]});
    }
    return out;
}

struct ThresholdOfClass {
    std::string id;
    double threshold;
};
ResultType result_type(ResultOf<ThresholdOfClass>) {
    static constexpr auto rows = describe_result<ThresholdOfClass>(
        {.name = "ThresholdOfClass", .help = "As `--threshold` and `--threshold-file` gave it"},
        {part<&ThresholdOfClass::id>({}), part<&ThresholdOfClass::threshold>({})});
    return rows;
}

std::vector<ThresholdOfClass> thresholds_of(const ScoreReport& report) {
    std::vector<ThresholdOfClass> out;
    for (std::size_t c = 0; c < report.thresholds.size(); ++c) {
        const bool named = report.classes.size() == report.thresholds.size();
        out.push_back({named ? report.classes.id(c) : std::to_string(c), report.thresholds[c]});
    }
    return out;
}

std::vector<ShownConfusion> confusions_of(const ScoreReport& report) {
    std::vector<ShownConfusion> out;
    for (const Confusion& confusion : report.confusions) out.push_back({&report, confusion});
    return out;
}

}  // namespace

ResultType result_type(ResultOf<ShownStore>) {
    static constexpr auto report = &ShownStore::report;
    static constexpr auto rows = describe_result<ShownStore>(
        {.name = "ScoredStore", .schema = "assay.score/2", .columns = "model,dataset"},
        {
            part<report, &ScoreReport::model>({}),
            part<report, &ScoreReport::dataset>({}),
            part<report, &ScoreReport::kind>({.name = "scores"}),
            part<report, &ScoreReport::storage>({.name = "storage_format"}),
            part<report, &ScoreReport::counts>({}),
            part({.name = "derived", .omitted = true},
                 [](const ShownStore& s) {
                     return s.report->derived.any() ? &s.report->derived : nullptr;
                 }),
            part({.help = "True if only numbers of labels that occur are averaged",
                  .name = "labels_per_image"},
                 [](const ShownStore& s) { return labels_per_image(*s.report); }),
            part<report, &ScoreReport::map>({.name = "class_map", .omitted = true}),
            part({.help = "Set if the report covers one store",
                  .name = "measurements",
                  .omitted = true},
                 [](const ShownStore& s) {
                     return s.measurements ? &s.report->measurements : nullptr;
                 }),
            part<report, &ScoreReport::groups>({.help = "With `--by`", .omitted = true}),
            part({.help = "With `--per-class`", .name = "per_class", .omitted = true},
                 [](const ShownStore& s) { return s.per_class ? &s.report->per_class : nullptr; }),
            part({.help = "With `--confusion`", .name = "confusions", .omitted = true},
                 [](const ShownStore& s) {
                     return s.confusions ? std::optional(confusions_of(*s.report)) : std::nullopt;
                 }),
            part({.help = "With `--per-class` or `--confusion`, if images have several valid "
                          "labels or `--labels` is given",
                  .name = "valid_labels",
                  .omitted = true},
                 [](const ShownStore& s) {
                     return s.report->valid_labels ? std::optional(ShownValidLabels{s.report})
                                                   : std::nullopt;
                 }),
            part<report, &ScoreReport::reliability>(
                {.help = "With `--reliability`", .omitted = true}),
            part({.help = "With `--threshold` or `--threshold-file`",
                  .name = "thresholds",
                  .omitted = true},
                 [](const ShownStore& s) {
                     return s.report->thresholds.empty() ? std::nullopt
                                                         : std::optional(thresholds_of(*s.report));
                 }),
            part<report, &ScoreReport::notes>({.help = "Which metrics are omitted, and why"}),
            part<report, &ScoreReport::warnings>({}),
        });
    return rows;
}

nlohmann::json to_json(const ScoreReport& report) {
    return json_of(ShownStore{&report, true, true, true});
}

namespace {

struct ValueOfDataset {
    const std::string* dataset;
    std::optional<double> value;
};
ResultType result_type(ResultOf<ValueOfDataset>) {
    static constexpr auto rows = describe_result<ValueOfDataset>(
        {.name = "ValueOfDataset"},
        {part({.name = "dataset"},
              [](const ValueOfDataset& v) -> const std::string& { return *v.dataset; }),
         part<&ValueOfDataset::value>({})});
    return rows;
}

std::vector<ValueOfDataset> values_of(const AcrossResult& result) {
    std::vector<ValueOfDataset> out;
    for (std::size_t i = 0; i < result.datasets.size(); ++i)
        out.push_back({&result.datasets[i], result.values[i]});
    return out;
}

}  // namespace

ResultType result_type(ResultOf<AcrossResult>) {
    static constexpr auto rows = describe_result<AcrossResult>(
        {.name = "MeanOverDatasets",
         .help = "One metric of one model over data sets that repeat one another",
         .columns = "model,datasets=dataset,subgroup,metric,definition,parameters,mean=value,"
                    "standard_deviation,min,max,low=interval.low,high=interval.high,"
                    "level=interval.level,method=interval.method,dataset_count,n,left_out,"
                    "undefined,note"},
        {
            part<&AcrossResult::mean>({.inlined = true}),
            part<&AcrossResult::standard_deviation>({}),
            part({.name = "min", .omitted = true},
                 [](const AcrossResult& r) {
                     return r.mean.value ? std::optional(r.low) : std::nullopt;
                 }),
            part({.name = "max", .omitted = true},
                 [](const AcrossResult& r) {
                     return r.mean.value ? std::optional(r.high) : std::nullopt;
                 }),
            part({.name = "datasets"}, [](const AcrossResult& r) { return values_of(r); }),
            part({.name = "dataset_count", .only_csv = true},
                 [](const AcrossResult& r) { return r.datasets.size(); }),
        });
    return rows;
}

namespace {

std::vector<std::reference_wrapper<const Measurement>> measurements_of(const ScoreResult& result) {
    std::vector<std::reference_wrapper<const Measurement>> out;
    for (const ScoreReport& report : result.reports) {
        for (const Measurement& m : report.measurements) out.emplace_back(m);
        for (const AccuracyByGroup& groups : report.groups) out.emplace_back(groups.worst);
    }
    return out;
}

std::vector<ShownStore> stores_of(const ShownScores& scores) {
    std::vector<ShownStore> out;
    for (const ScoreReport& report : scores.result->reports)
        out.push_back({&report, false, scores.shown.per_class, scores.shown.confusions > 0});
    return out;
}

}  // namespace

ResultType result_type(ResultOf<ShownScores>) {
    static constexpr auto rows = describe_result<ShownScores>(
        {.name = "ScoresResult", .help = "What `assay score` prints", .schema = "assay.scores/2"},
        {
            part({.help = "Labels, settings and notes of all stores", .name = "measurements"},
                 [](const ShownScores& s) { return measurements_of(*s.result); }),
            part({.name = "stores"}, [](const ShownScores& s) { return stores_of(s); }),
            part<&ShownScores::result, &ScoreResult::gates>({}),
            part<&ShownScores::result, &ScoreResult::ood>(
                {.help = "With `--ood`", .omitted = true}),
            part<&ShownScores::result, &ScoreResult::published>(
                {.help = "With `--published`", .omitted = true}),
            part<&ShownScores::result, &ScoreResult::by_votes>(
                {.help = "With `--votes`", .omitted = true}),
            part({.help = "With `--across`", .name = "across", .omitted = true},
                 [](const ShownScores& s) {
                     return s.result->across.empty() ? nullptr : &s.result->means;
                 }),
        });
    return rows;
}

nlohmann::json to_json(const AcrossResult& result) {
    return json_of(result);
}

nlohmann::json to_json(const ScoreResult& result, const ScoreShown& shown) {
    return json_of(ShownScores{&result, shown});
}

}  // namespace assay
