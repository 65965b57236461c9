// Warnings of `assay score` if the labels may not match the classes.
#include "evaluate/label_signs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "saved_scores.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// `right` of `images` images are confidently predicted as their label, and the others as the class
/// that is `by` places after the label.
Made predictions(std::size_t images, std::size_t classes, std::size_t right, std::size_t by,
                 float logit = 9) {
    Made made;
    made.classes = classes;
    for (std::size_t i = 0; i < images; ++i) {
        const std::size_t label = i % (classes - by);
        made.labels.push_back({static_cast<std::int32_t>(label)});
        const std::size_t predicted = i < right ? label : label + by;
        for (std::size_t c = 0; c < classes; ++c)
            made.scores.push_back(c == predicted ? logit : -1);
    }
    return made;
}

class LabelSigns : public testing::Test {
protected:
    std::vector<std::string> warnings(Made made, const std::string& model = "net") {
        made.dataset = "of-" + model;
        save(folder_, made, model);
        ScoreRunsOptions options;
        options.paths = {folder_ / "runs" / made.dataset / model};
        return score_runs(options, *self_comm()).reports.at(0).warnings;
    }
    Scratch folder_;
};

TEST_F(LabelSigns, LabelsThatAreOffByOneAreNamed) {
    EXPECT_THAT(warnings(predictions(200, 10, 20, 1)),
                ElementsAre(testing::AllOf(
                    HasSubstr("the labels look off by one: for 180 of 200 (90 %) images"),
                    HasSubstr("the class after their label is predicted, for 20 their label"),
                    HasSubstr("type `assay score "), HasSubstr("--per-class --confusion`"))));
}

TEST_F(LabelSigns, BelowChanceAtItsLevel) {
    // No correct image among 80 has a probability of 0.5^80. None among 8 has 0.5^8 = .004, which
    // is not below .001.
    EXPECT_THAT(warnings(predictions(80, 2, 0, 1)),
                ElementsAre(HasSubstr("is below chance, 50 % (exact test, level 0.001)")));
    EXPECT_THAT(warnings(predictions(8, 2, 0, 1), "few"), IsEmpty());
}

TEST_F(LabelSigns, ConfidentAndNoBetterThanChance) {
    // With 1000 classes, chance is 0.1 %, so no accuracy on 60 images is below it.
    EXPECT_THAT(warnings(predictions(60, 1000, 0, 7, 12)),
                ElementsAre(testing::AllOf(
                    HasSubstr("is no better than chance, at a mean confidence of 99"),
                    HasSubstr("labels may be permuted"))));
    // The model is as unsure as it is incorrect, so there is no warning.
    EXPECT_THAT(warnings(predictions(60, 1000, 0, 7, 1), "unsure"), IsEmpty());
}

TEST_F(LabelSigns, TheCommandNamesTheModelThatMadeTheStore) {
    Made made = predictions(80, 2, 0, 1);
    made.provenance = R"({"model": {"path": "my net.pt", "preset": "timm", "sidecar": ""}})";
    // Simulated images have no folder, so the warning can only name the store.
    EXPECT_THAT(warnings(made), ElementsAre(HasSubstr("type `assay score ")));
}

TEST_F(LabelSigns, NoneOfGoodModelsFewImagesAttacksAndNoise) {
    EXPECT_THAT(warnings(made_up(300, 10, 1, 4)), IsEmpty());
    EXPECT_THAT(warnings(made_up(300, 10, 2, 1), "weak"), IsEmpty());
    EXPECT_THAT(warnings(made_up(5, 10, 3, 0), "few"), IsEmpty());
    // The labels use ten of a thousand classes, and half of the images are correct.
    EXPECT_THAT(warnings(predictions(40, 1000, 15, 300), "subset"), IsEmpty());
    EXPECT_THAT(warnings(predictions(200, 10, 0, 1), "net@fgsm-linf-8_255"), IsEmpty());
    Made smoothed = predictions(200, 10, 0, 1);
    smoothed.provenance =
        R"({"model": {}, "scored_by": {"smoothed": {"of": "net", "sigma": 1, "copies": 100}}})";
    EXPECT_THAT(warnings(smoothed, "net@smoothed-1-100"), IsEmpty());
}

}  // namespace
}  // namespace assay
