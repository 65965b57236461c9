// The trial of a model on a few images before predict() begins its store.
#include "assay/evaluate/model_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "colour_classifier.h"
#include "coloured_images.h"

namespace assay {
namespace {

using testing::HasSubstr;

/// Counts its images. `mixed` simulates a fixed batch size from tracing, so that only the first
/// image of a batch gets its own scores.
class CountingClassifier final : public ColourClassifier {
public:
    bool mixed = false;
    std::atomic<std::size_t> images{0};
    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        images += n;
        std::vector<float> used(input.begin(), input.end());
        const std::size_t each = input.size() / n;
        for (std::size_t i = 1; mixed && i < n; ++i)
            std::copy_n(input.begin(), each, used.begin() + static_cast<std::ptrdiff_t>(i * each));
        ColourClassifier::scores(used, n, out);
    }
};

class Trial : public testing::Test {
protected:
    /// Images in the colours of the twelve classes in turn. All images differ.
    void make_images(std::size_t n) {
        dataset.name = "d";
        dataset.root = scratch_ / "images";
        dataset.classes = numbered_classes(colour_classes);
        make_folders(dataset.root);
        std::vector<std::int32_t> labels;
        for (std::size_t i = 0; i < n; ++i) {
            auto colour = colour_of(i % colour_classes);
            for (int& level : colour) level += static_cast<int>(i / colour_classes % 10);
            const std::string id = std::to_string(100000 + i) + ".bmp";
            std::ofstream(dataset.root / id, std::ios::binary)
                << bmp(static_cast<std::uint8_t>(colour[0]), static_cast<std::uint8_t>(colour[1]),
                       static_cast<std::uint8_t>(colour[2]));
            dataset.ids.append(id);
            labels.push_back(static_cast<std::int32_t>(i % colour_classes));
        }
        dataset.labels = LabelSets::from_single(labels);
    }
    LoadedModel model(const std::string& name = "m") const {
        LoadedModel loaded;
        loaded.spec.name = name;
        loaded.spec.path = name + ".pt";
        loaded.spec.preprocess = classifier->expects;
        loaded.spec.classes = dataset.classes;
        loaded.classifier = classifier;
        loaded.file_hash = hash_text(name);
        loaded.trial = std::make_shared<TrialMemory>();
        return loaded;
    }
    PredictOptions options(const std::string& runs = "runs") const {
        PredictOptions all;
        all.runs = scratch_ / runs;
        all.threads = 2;
        return all;
    }
    std::vector<ModelTrial> tried(const PredictOptions& how) const {
        const std::vector<LoadedModel> models = {model()};
        return try_models(models, dataset, how, *self_comm());
    }
    PredictResult predicted(const PredictOptions& how) const {
        const std::vector<LoadedModel> models = {model()};
        return predict(models, dataset, how).front();
    }
    std::string refusal(const PredictOptions& how) const {
        try {
            predicted(how);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input);
            return error.what();
        }
        return "";
    }
    static nlohmann::json provenance(const fs::path& store) {
        return nlohmann::json::parse(PredictionStore::open(store).spec().provenance_json);
    }

    Scratch scratch_;
    Dataset dataset;
    std::shared_ptr<CountingClassifier> classifier = std::make_shared<CountingClassifier>();
};

TEST_F(Trial, AGoodModelCostsFourImagesOfFewAndNothingIsRecorded) {
    make_images(48);
    const PredictResult result = predicted(options());
    // Two images in one batch, and each in its own batch.
    EXPECT_EQ(classifier->images, 48U + 4U);
    EXPECT_TRUE(result.notes.empty());
    const nlohmann::json made = provenance(result.store);
    EXPECT_FALSE(made.contains("images_alone"));
    EXPECT_FALSE(made.contains("no_trial"));
}

TEST_F(Trial, ItCostsLessThanOnePercentOfSevenHundredImagesWithoutLabels) {
    make_images(700);
    dataset.labels = {};
    EXPECT_TRUE(tried(options()).front().findings.empty());
    EXPECT_LE(classifier->images, 7U);
}

TEST_F(Trial, OfLabelledImagesItTakesATenthAtMost) {
    make_images(700);
    EXPECT_TRUE(tried(options()).front().findings.empty());
    EXPECT_GE(classifier->images, 32U);
    EXPECT_LE(classifier->images, 72U);  // two of the images are in their own batches
}

TEST_F(Trial, RandomScoresAreRefusedByNameBeforeAStoreIsBegun) {
    make_images(48);
    classifier->dropout = true;
    EXPECT_THAT(refusal(options()),
                testing::AllOf(HasSubstr("m.pt"), HasSubstr("dropout"), HasSubstr("model.eval()"),
                               HasSubstr("add `--no-trial`")));
    EXPECT_FALSE(fs::exists(scratch_ / "runs/d/m"));
}

TEST_F(Trial, BatchNormalisationInTrainingModeIsRefused) {
    make_images(48);
    classifier->batch_norm = true;
    EXPECT_THAT(refusal(options()),
                testing::AllOf(HasSubstr("Batch normalisation is in training mode"),
                               HasSubstr("model.eval()"), HasSubstr("`--no-trial`")));
    EXPECT_FALSE(fs::exists(scratch_ / "runs/d/m"));
}

TEST_F(Trial, ABakedInBatchRunsWithOneImageAndTheStoreSaysSo) {
    make_images(48);
    classifier->mixed = true;
    PredictOptions how = options();
    how.batch_size = 4;
    const PredictResult result = predicted(how);
    ASSERT_EQ(result.notes.size(), 1U);
    EXPECT_THAT(result.notes[0], HasSubstr("one image at a time"));
    EXPECT_EQ(PredictionStore::open(result.store).spec().batch_size, 1U);
    EXPECT_TRUE(provenance(result.store).value("images_alone", false));
    // The scores have the same bits as with that batch size from the start.
    how = options("alone");
    how.batch_size = 1;
    const PredictResult alone = predicted(how);
    EXPECT_TRUE(alone.notes.empty());
    const auto shard = [](const PredictResult& of) {
        const PredictionStore store = PredictionStore::open(of.store);
        const auto first = store.shard(0);
        return std::vector<float>(first.f32().begin(), first.f32().end());
    };
    EXPECT_EQ(shard(result), shard(alone));
}

TEST_F(Trial, WithoutLabelsABatchThatMixesIsRefused) {
    make_images(48);
    dataset.labels = LabelSets::from_single(std::vector<std::int32_t>(48, -1));
    classifier->mixed = true;
    EXPECT_THAT(refusal(options()), HasSubstr("add `--batch 1`"));
}

TEST_F(Trial, AResumedRunDoesNotRepeatIt) {
    make_images(48);
    classifier->mixed = true;
    predicted(options());
    classifier->images = 0;
    // A new process would only know what the store says, so the trial must not run again.
    const PredictResult again = predicted(options());
    EXPECT_EQ(classifier->images, 0U);
    ASSERT_EQ(again.notes.size(), 1U);
    EXPECT_THAT(again.notes[0], HasSubstr("one image at a time"));
}

TEST_F(Trial, CopiesOfAModelAreTriedOnce) {
    make_images(48);
    const LoadedModel first = model();
    const std::vector<LoadedModel> models = {first}, copies = {first};
    try_models(models, dataset, options(), *self_comm());
    const std::size_t once = classifier->images;
    try_models(copies, dataset, options(), *self_comm());
    EXPECT_EQ(classifier->images, once);
}

TEST_F(Trial, WithoutATrialAnythingIsStored) {
    make_images(48);
    classifier->dropout = true;
    PredictOptions how = options();
    how.no_trial = true;
    const PredictResult result = predicted(how);
    EXPECT_EQ(classifier->images, 48U);
    EXPECT_TRUE(provenance(result.store).value("no_trial", false));
}

TEST_F(Trial, RanksAgreeOnTheBatch) {
    make_images(48);
    classifier->mixed = true;
    const std::vector<LoadedModel> models = {model()};
    std::vector<PredictResult> results(3);
    run_thread_ranks(3, [&](Comm& comm) {
        results[static_cast<std::size_t>(comm.rank())] =
            predict(models, dataset, options(), comm).front();
    });
    EXPECT_EQ(PredictionStore::open(results[0].store).spec().batch_size, 1U);
    for (const PredictResult& result : results)
        EXPECT_THAT(result.notes, testing::Contains(HasSubstr("one image at a time")));
    EXPECT_EQ(results[0].predicted, 48U);
}

TEST_F(Trial, AnImageThatCannotBeReadIsNoReasonToFail) {
    make_images(48);
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        if (i % 2 == 0) write_file_atomically(dataset.path_of(i), "no image");
    }
    EXPECT_EQ(predicted(options()).bad_rows, 24U);
}

TEST_F(Trial, WarningsOfManyImagesAreThoseOfTheCheck) {
    make_images(2100);
    EXPECT_TRUE(tried(options()).front().findings.empty());
    classifier->ends = ColourClassifier::Ends::softmax;  // its settings say: logits
    const auto kind = tried(options()).front().findings;
    ASSERT_EQ(kind.size(), 1U);
    EXPECT_EQ(kind[0].id, "outputs.kind");
    classifier->ends = ColourClassifier::Ends::logits;
    for (std::size_t c = 0; c < colour_classes; ++c)
        classifier->output_of.push_back((c + 1) % colour_classes);
    const auto order = tried(options()).front().findings;
    ASSERT_EQ(order.size(), 1U);
    EXPECT_EQ(order[0].id, "classes.order");
}

TEST_F(Trial, AnotherOrderOfTheClassesIsSaidOfTwoHundredImages) {
    make_images(200);
    EXPECT_TRUE(tried(options()).front().findings.empty());
    for (std::size_t c = 0; c < colour_classes; ++c)
        classifier->output_of.push_back((c + 1) % colour_classes);
    const auto found = tried(options()).front().findings;
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].id, "classes.order");
}

TEST_F(Trial, NotANumberIsSaidOfFewImagesToo) {
    make_images(48);
    classifier->not_a_number = true;
    const auto found = tried(options()).front().findings;
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].id, "outputs.finite");
}

}  // namespace
}  // namespace assay
