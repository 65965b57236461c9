// Descriptions of the results of attacks.
#include <algorithm>
#include <string>
#include <vector>

#include "assay/describe_result.h"
#include "evaluate/described_evaluate.h"

namespace assay {
namespace {

struct MeanOfEps {
    double eps;
    const Estimate* value;
};
ResultType result_type(ResultOf<MeanOfEps>) {
    static constexpr auto rows = describe_result<MeanOfEps>(
        {.name = "MeanOfAttacks", .help = "The geometric mean of the ratios of fgsm and pgd"},
        {
            part<&MeanOfEps::eps>({}),
            part({.name = "value"}, [](const MeanOfEps& m) -> const Estimate& { return *m.value; }),
        });
    return rows;
}

std::vector<MeanOfEps> means_of(const AttackedResult& result) {
    std::vector<MeanOfEps> out;
    for (const auto& mean : result.geometric_mean) out.push_back({mean.first, &mean.second});
    return out;
}

}  // namespace

ResultType result_type(ResultOf<SavedAttack>) {
    static constexpr auto rows = describe_result<SavedAttack>(
        {.name = "SavedAttack", .help = "The saved images of an attack"},
        {
            part<&SavedAttack::folder>({}),
            part<&SavedAttack::images>({}),
            part<&SavedAttack::robust>({.help = "Classified correctly before and from the file"}),
            part<&SavedAttack::lost>(
                {.help =
                     "Images that fooled the model, but are correct when read from their file"}),
            part<&SavedAttack::accuracy>({}),
        });
    return rows;
}

ResultType result_type(ResultOf<AttackCell>) {
    static constexpr auto images = &AttackCell::Unscored::images;
    static constexpr auto rows = describe_result<AttackCell>(
        {.name = "AttackCell", .help = "One attack with one budget on one model"},
        {
            part<&AttackCell::attack>({}),
            part<&AttackCell::eps>({}),
            part<&AttackCell::store>({.help = "Measured on the scores under the attack"}),
            part<&AttackCell::robust>({.help = "Images classified correctly before and after"}),
            part<&AttackCell::ended_not_finite, images>(
                {.help = "Images whose scores are not finite under the attack; they count as "
                         "misclassified",
                 .name = "ended_not_finite"}),
            part<&AttackCell::unreadable, images>({.name = "unreadable"}),
            part<&AttackCell::accuracy>({.help = "Accuracy of all images under the attack"}),
            part<&AttackCell::ratio>(
                {.help = "Proportion of the images that were classified correctly before"}),
            part<&AttackCell::attacked>({}),
            part<&AttackCell::zero_gradients>({}),
            part<&AttackCell::not_finite>({}),
            part<&AttackCell::forward>({}),
            part<&AttackCell::backward>({}),
            part<&AttackCell::by>({.help = "For an ensemble: images that each part fooled first",
                                   .name = "first_fooled_by"}),
            part<&AttackCell::saved>({.help = "With `--save-images`"}),
        });
    return rows;
}

ResultType result_type(ResultOf<MaskingSign>) {
    static constexpr auto rows = describe_result<MaskingSign>(
        {.name = "MaskingSign", .help = "A sign that an attack says little, and its number"},
        {
            part<&MaskingSign::name>(
                {.help = "`random`, `batch`, `outputs`, `large_budget`, `none_fooled`, "
                         "`stronger`, `without_gradient`, `slope` or, with `--transfer`, "
                         "`transferred`"}),
            part({.help = "The verdict if the sign is found", .name = "means"},
                 [](const MaskingSign& s) { return std::string(name_of(s.means)); }),
            part<&MaskingSign::tested>({}),
            part<&MaskingSign::found>({}),
            part<&MaskingSign::text>({.help = "What was measured, with its limit"}),
        });
    return rows;
}

ResultType result_type(ResultOf<AttackControl>) {
    static constexpr auto rows = describe_result<AttackControl>(
        {.name = "AttackControl", .help = "What the controls say of the attacks on a model"},
        {
            part({.help = "`not checked`, `no sign of masking`, `doubtful` or `not usable`",
                  .name = "verdict"},
                 [](const AttackControl& c) { return std::string(name_of(c.verdict)); }),
            part<&AttackControl::signs>({}),
            part<&AttackControl::attack>(
                {.help = "The stronger attack on a few images, after those of the command"}),
            part<&AttackControl::eps>({}),
            part<&AttackControl::images>({.help = "Control images"}),
            part<&AttackControl::left>(
                {.help = "Of these, images that the attacks of the command did not fool"}),
            part<&AttackControl::left_by_control>(
                {.help = "Images that the stronger attack did not fool either"}),
            part<&AttackControl::forward>({.help = "Passes of the controls"}),
            part<&AttackControl::backward>({.help = "Of these, passes with a gradient"}),
        });
    return rows;
}

ResultType result_type(ResultOf<AttackedResult>) {
    static constexpr auto rows = describe_result<AttackedResult>(
        {.name = "AttackedModel"},
        {
            part<&AttackedResult::model>({}),
            part<&AttackedResult::dataset>({}),
            part<&AttackedResult::images>({.help = "Images with one label and a score"}),
            part<&AttackedResult::without>({.help = "The others", .name = "left_out"}),
            part<&AttackedResult::correct>({}),
            part<&AttackedResult::clean>({.help = "Accuracy without an attack"}),
            part<&AttackedResult::cells>({.name = "attacks"}),
            part<&AttackedResult::smallest>(
                {.help = "Smallest changes, with fmn or ddn; their budgets are in `attacks`, too",
                 .omitted = true}),
            part<&AttackedResult::transferred>(
                {.help = "This model on the images that were made on the others, with "
                         "`--transfer`",
                 .omitted = true}),
            part({.name = "geometric_mean"},
                 [](const AttackedResult& result) { return means_of(result); }),
            part({.help = "Folder of `examples.json`", .name = "examples"},
                 [](const AttackedResult& result) {
                     return result.examples.empty() ? nullptr : &result.examples;
                 }),
            part<&AttackedResult::control>(
                {.help = "Signs that the attack failed rather than that the model withstood it"}),
            part<&AttackedResult::signs>(
                {.help = "Gradients of zero, and elements that are no numbers"}),
            part<&AttackedResult::notes>({}),
        });
    return rows;
}

ResultType result_type(ResultOf<ShownAttacks>) {
    static constexpr auto options = &ShownAttacks::options;
    static constexpr auto rows = describe_result<ShownAttacks>(
        {.name = "AttackResult", .help = "What `assay attack` prints", .schema = "assay.attack/1"},
        {
            part<options, &AttackRunOptions::space>({}),
            part<options, &AttackRunOptions::norm>({}),
            part<options, &AttackRunOptions::seed>({}),
            part<options, &AttackRunOptions::paper_literal>({}),
            part({.help =
                      "Size of a step of pgd, `eps/30` or in 255ths for linf: `2.55/255` for 0.01",
                  .name = "step",
                  .omitted = true},
                 [](const ShownAttacks& a) -> std::optional<std::string> {
                     if (!a.options->step) return std::nullopt;
                     return step_text(*a.options->step, a.options->norm);
                 }),
            part({.help = "Runs of pgd, if more than one", .name = "restarts", .omitted = true},
                 [](const ShownAttacks& a) {
                     return a.options->restarts > 1 ? &a.options->restarts : nullptr;
                 }),
            part({.help = "With `--save-images`", .name = "image_form"},
                 [](const ShownAttacks& a) {
                     return a.options->images.empty() ? nullptr : &a.options->image_form;
                 }),
            part<&ShownAttacks::results>({.name = "models"}),
            part<&ShownAttacks::pairs>(
                {.help = "Comparisons of two or more models under fmn or ddn", .omitted = true}),
        });
    return rows;
}

}  // namespace assay
