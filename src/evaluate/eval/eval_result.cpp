// Schema `assay.eval/1`.
#include "assay/describe_result.h"
#include "evaluate/described_evaluate.h"
#include "evaluate/eval/described_eval.h"

namespace assay {

ResultType result_type(ResultOf<PreprocessingWay>) {
    static constexpr auto rows = describe_result<PreprocessingWay>(
        {.name = "PreprocessingWay"},
        {
            part<&PreprocessingWay::options>({.help = "As typed"}),
            part({.help = "For people", .name = "preprocessing"},
                 [](const PreprocessingWay& way) { return describe(way.preprocess); }),
            part<&PreprocessingWay::images>({.help = "Images that it was tried on"}),
            part<&PreprocessingWay::correct>({.help = "Of these"}),
        });
    return rows;
}

ResultType result_type(ResultOf<PreprocessingChoice>) {
    using Choice = PreprocessingChoice;
    static constexpr auto rows = describe_result<Choice>(
        {.name = "PreprocessingChoice"},
        {
            part<&Choice::outcome>({.script = R"("given" | "told_apart" | "not_settled")"}),
            part<&Choice::best>(
                {.help = "The chosen preprocessing, if it was searched for", .omitted = true}),
            part<&Choice::runner_up>({.omitted = true}),
            part<&Choice::difference>({.help = "Best minus runner-up", .omitted = true}),
            part({.help = "p-value of no difference: McNemar's exact test, Holm-adjusted",
                  .name = "p_holm",
                  .omitted = true},
                 [](const Choice& c) { return c.runner_up ? std::optional(c.p) : std::nullopt; }),
            part<&Choice::tried>(
                {.help = "Number of ways that were tried; ways with the same pixels count once",
                 .omitted = true}),
            part<&Choice::refused>(
                {.help = "Ways whose input size the model refuses", .omitted = true}),
        });
    return rows;
}

ResultType result_type(ResultOf<DoubtedLabel>) {
    static constexpr auto rows = describe_result<DoubtedLabel>(
        {.name = "DoubtedLabel", .help = "An image for which every model predicts another class"},
        {
            part<&DoubtedLabel::id>({}),
            part<&DoubtedLabel::label>({}),
            part<&DoubtedLabel::predicted>({.help = "The class that the first model predicts"}),
            part<&DoubtedLabel::label_probability>({.help = "Mean over the models"}),
            part<&DoubtedLabel::predicted_probability>({.help = "Mean over the models"}),
        });
    return rows;
}

ResultType result_type(ResultOf<UnsureItem>) {
    static constexpr auto rows = describe_result<UnsureItem>(
        {.name = "UnsureItem",
         .help = "An image on which models differ, or on which a single model is least sure"},
        {
            part<&UnsureItem::id>({}),
            part<&UnsureItem::predicted>({.help = "By model"}),
            part<&UnsureItem::confidence>({.help = "By model"}),
        });
    return rows;
}

ResultType result_type(ResultOf<EvaluatedModel>) {
    static constexpr auto rows = describe_result<EvaluatedModel>(
        {.name = "EvaluatedModel"},
        {
            part<&EvaluatedModel::model>({}),
            part<&EvaluatedModel::store>({}),
            part<&EvaluatedModel::preprocessing>({.help = "For people"}),
            part<&EvaluatedModel::choice>({}),
            part<&EvaluatedModel::settled>(
                {.help = "False if the images could not settle the preprocessing: every result "
                         "depends on that choice"}),
            part<&EvaluatedModel::measurements>({.help = "Of labelled images"}),
            part<&EvaluatedModel::calibration>({.help = "In words", .omitted = true}),
            part<&EvaluatedModel::confidence>({.help = "Mean probability of the predicted class"}),
            part<&EvaluatedModel::worst_classes>({.help = "Classes with at least 5 images"}),
            part<&EvaluatedModel::unreadable>({.help = "Images without scores"}),
            part<&EvaluatedModel::warnings>({}),
        });
    return rows;
}

ResultType result_type(ResultOf<EvalResult>) {
    static constexpr auto rows = describe_result<EvalResult>(
        {.name = "EvalResult", .help = "What `assay eval` prints", .schema = "assay.eval/1"},
        {
            part<&EvalResult::dataset>({}),
            part<&EvalResult::items>({.help = "Images in the stores"}),
            part<&EvalResult::labelled>({.help = "Of these"}),
            part<&EvalResult::left_out>(
                {.help = "Images that chose the preprocessing and are excluded from the results"}),
            part<&EvalResult::models>({.help = "In the order given"}),
            part({.help = "With several models: each against the first",
                  .name = "comparisons",
                  .omitted = true},
                 [](const EvalResult& r) { return r.comparison ? &r.comparison->pairs : nullptr; }),
            part<&EvalResult::doubted_labels>({.help = "The most doubtful labels first"}),
            part<&EvalResult::unsure>({.help = "Of unlabelled images", .omitted = true}),
            part<&EvalResult::agreement>(
                {.help = "With several models: images for which all predict the same class",
                 .omitted = true}),
            part<&EvalResult::gates>({}),
            part<&EvalResult::notes>({}),
            part<&EvalResult::report>({.help = "The page", .omitted = true}),
            part<&EvalResult::next>({.help = "Commands to type"}),
        });
    return rows;
}

}  // namespace assay
