// Adversarial images in files. The images that are read back give the reported numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "containers/npy.h"
#include "core/hash.h"
#include "core/random.h"
#include "data/made_folder.h"
#include "evaluate/attack_files.h"
#include "message_of.h"
#include "red_classifier.h"
#include "store/outcomes.h"

namespace assay {
namespace {

using testing::HasSubstr;

class AttackedFiles : public RedImages {
protected:
    AttackRunOptions saving(const std::string& runs, const std::string& folder, ImageForm form) {
        AttackRunOptions options = attack_options(runs);
        options.predict.shard_rows = 72;
        options.attacks = {"fgsm", "pgd"};
        // A budget between two levels: red 131 falls to 128.4, below the boundary at 128.5. In
        // whole levels it only falls to 129.
        options.eps = {2.6 / 255};
        options.images = scratch_ / folder;
        options.image_form = form;
        return options;
    }
    /// Every file below a folder, by its relative path.
    static std::map<std::string, std::string> files_in(const fs::path& folder) {
        std::map<std::string, std::string> files;
        for (const auto& entry : fs::recursive_directory_iterator(folder)) {
            if (entry.is_regular_file())
                files[fs::relative(entry.path(), folder).string()] = read_text(entry.path());
        }
        return files;
    }
};

TEST_F(AttackedFiles, PredictReadsFromPngsWhatTheReportSays) {
    const Dataset dataset = images(200);
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    AttackRunOptions options = saving("runs", "adversarial", ImageForm::png);
    const auto results = attack_models({&model, 1}, dataset, options);
    ASSERT_EQ(results[0].cells.size(), 3U);
    EXPECT_FALSE(results[0].cells[0].saved);  // the control with noise was not requested
    for (std::size_t c = 1; c < 3; ++c) {
        const AttackCell& cell = results[0].cells[c];
        SCOPED_TRACE(cell.attack);
        ASSERT_TRUE(cell.saved);
        EXPECT_EQ(cell.robust, correct - 3);
        EXPECT_EQ(cell.saved->robust, correct - 2);
        EXPECT_EQ(cell.saved->lost, 1U);
        EXPECT_EQ(cell.saved->images, 200U);
        EXPECT_NEAR(*cell.saved->accuracy.value, 69. / 200, 1e-12);
        EXPECT_EQ(cell.saved->folder.filename(), cell.attack + "-linf-2.6_255");

        const Dataset made = open_dataset(cell.saved->folder, {.classes = model.spec.classes});
        ASSERT_EQ(made.size(), 200U);
        PredictOptions predicting = options.predict;
        predicting.runs = scratch_ / "again";
        const auto predicted = predict({&model, 1}, made, predicting);
        const auto outcomes = outcomes_of(PredictionStore::open(predicted[0].store));
        EXPECT_EQ(count_of(outcomes, RowOutcome::correct), cell.saved->robust);
        for (std::size_t i = 0; i < made.size(); ++i) {
            const Image image = load_image(made.path_of(i));
            EXPECT_LE(std::abs(static_cast<int>(image.pixels[0]) - static_cast<int>(i)), 2);
        }
    }
    const Report report = report_of(results, options);
    EXPECT_EQ(report.result["image_form"], "png");
    EXPECT_EQ(report.result["models"][0]["attacks"][2]["saved"]["lost"], 1);
    EXPECT_THAT(render(report, ReportFormat::text),
                testing::AllOf(HasSubstr("of the 3 that fooled the model, 1 no longer do"),
                               HasSubstr("--crop-mode none")));
}

TEST_F(AttackedFiles, ArraysHoldTheImagesToTheBit) {
    const Dataset dataset = images(140);
    RedClassifier red;
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    AttackRunOptions options = saving("runs", "adversarial", ImageForm::npy);
    options.predict.batch_size = 1;
    const auto results = attack_models({&model, 1}, dataset, options);
    const AttackCell& cell = results[0].cells[2];
    ASSERT_TRUE(cell.saved);
    EXPECT_EQ(cell.saved->robust, cell.robust);
    EXPECT_EQ(cell.saved->lost, 0U);
    const std::vector<float> scores = kept(cell.store);
    for (const std::size_t i : {std::size_t{5}, std::size_t{130}, std::size_t{139}}) {
        char name[16];
        std::snprintf(name, sizeof name, "%03zu.npy", i);
        const auto bytes = read_file(cell.saved->folder / name);
        const NpyView array = parse_npy(bytes);
        ASSERT_EQ(array.shape_text(), "(2, 2, 3)");
        std::vector<float> values(12), planes(12), out(2);
        array.values.floats(0, values);
        for (std::size_t k = 0; k < 12; ++k) planes[k % 3 * 4 + k / 3] = values[k];
        red.scores(planes, 1, out);
        EXPECT_EQ(out[0], scores[2 * i]);
        if (i == 5) {
            // the image was misclassified before the attack, so it is unchanged
            EXPECT_EQ(values[0], 5.0F / 255.0F);
        }
    }
}

TEST_F(AttackedFiles, ExamplesAreTheImagesThatFooledTheModelByTheHashesOfTheirIds) {
    const Dataset dataset = images(200);
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    for (const ImageForm form : {ImageForm::npy, ImageForm::png}) {
        const std::string name(name_of(form));
        AttackRunOptions options = saving(name + "-runs", name, form);
        options.eps = {20. / 255, 30. / 255};
        const auto results = attack_models({&model, 1}, dataset, options);
        ASSERT_EQ(results[0].examples, fs::absolute(options.images) / "examples.json");
        const auto examples = nlohmann::json::parse(read_text(results[0].examples));
        EXPECT_EQ(examples["schema"], "assay.attack_examples/1");
        EXPECT_EQ(examples["dataset_id"], dataset.ids_fingerprint());
        ASSERT_EQ(examples["attacks"].size(), 4U);
        for (std::size_t a = 0; a < 4; ++a) {
            const auto& attack = examples["attacks"][a];
            SCOPED_TRACE(attack["folder"].get<std::string>());
            const int levels = a < 2 ? 20 : 30;
            EXPECT_EQ(attack["eps_text"], std::to_string(levels) + "/255");
            // The whole budget moves the red of these images from above 128.5 to below it.
            EXPECT_EQ(attack["fooled"], levels);
            std::vector<std::pair<std::string, int>> order;
            for (int red = 129; red < 129 + levels; ++red)
                order.emplace_back(hash_text(dataset.ids[static_cast<std::size_t>(red)]), red);
            std::sort(order.begin(), order.end());
            ASSERT_EQ(attack["shown"].size(), 12U);
            for (std::size_t k = 0; k < 12; ++k) {
                const auto& shown = attack["shown"][k];
                const int red = order[k].second;
                EXPECT_EQ(shown["item"], red);
                EXPECT_EQ(shown["id"], dataset.ids[static_cast<std::size_t>(red)]);
                EXPECT_EQ(shown["label"]["class"], 0);
                EXPECT_EQ(shown["before"]["class"], 0);
                EXPECT_EQ(shown["after"]["class"], 1);
                const auto probability = [](double level) {
                    return 1 / (1 + std::exp(-10 * (level - 128.5) / 255));
                };
                EXPECT_NEAR(shown["before"]["probability"].get<double>(), probability(red), 1e-5);
                EXPECT_NEAR(shown["after"]["probability"].get<double>(),
                            1 - probability(red - levels), 1e-5);
                EXPECT_NEAR(shown["largest"].get<double>(), levels / 255., 1e-6);
                EXPECT_NEAR(shown["scale"].get<double>(), 127.5 / levels, 1e-3);
                const auto pixel = [&](const char* picture) {
                    return load_image(options.images / shown[picture].get<std::string>()).pixels;
                };
                EXPECT_EQ(pixel("original")[0], red);
                EXPECT_EQ(pixel("attacked")[0], red - levels);
                const auto difference = pixel("difference");
                EXPECT_EQ(difference[0], 0);
                if (attack["attack"] == "fgsm") {
                    // Green and blue do not affect the scores, so FGSM does not change them.
                    EXPECT_EQ(difference[1], 128);
                    EXPECT_EQ(difference[2], 128);
                    EXPECT_NEAR(shown["length"].get<double>(), 2 * levels / 255., 1e-5);
                }
            }
        }
        EXPECT_EQ(report_of(results, options).result["models"][0]["examples"],
                  results[0].examples.string());
    }
}

TEST_F(AttackedFiles, BluesAndRedsKeepTheirPlaces) {
    const Dataset dataset = images(140);
    LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    model.spec.preprocess.channel_order = ChannelOrder::bgr;
    AttackRunOptions options = saving("runs", "adversarial", ImageForm::png);
    options.attacks = {"noise"};
    attack_models({&model, 1}, dataset, options);
    // The first plane that the model reads is blue, which is 0 everywhere. So no image is
    // classified correctly, and none is changed.
    const Image image = load_image(options.images / "noise-linf-2.6_255/120.png");
    EXPECT_EQ(image.pixels[0], 120);
    EXPECT_EQ(image.pixels[2], 0);
}

TEST_F(AttackedFiles, AKilledRunGoesOnAndFilesOfEarlierStoresAreMadeAgain) {
    const Dataset dataset = images(150);
    const auto run = [&](const AttackRunOptions& options, std::size_t stop_after) {
        const auto classifier = std::make_shared<RedClassifier>();
        classifier->stop_after = stop_after;
        const LoadedModel model = red_model("m", classifier);
        try {
            return attack_models({&model, 1}, dataset, options)[0].cells[2].saved;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::interrupted);
            return std::optional<SavedAttack>();
        }
    };
    constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
    AttackRunOptions options = saving("whole", "whole-images", ImageForm::npy);
    const auto whole = run(options, never);
    ASSERT_TRUE(whole);
    const auto files = files_in(options.images);

    // A whole run scores about 900 images: 150 for the model's own store, the same 150 again, 300
    // in attacks and 300 from the files. It is killed during the attacks, and a file is cut off.
    // The next run, which need not repeat all attacks, is killed while it reads the files.
    options = saving("killed", "killed-images", ImageForm::npy);
    EXPECT_FALSE(run(options, 450));
    EXPECT_FALSE(fs::exists(options.images));
    const fs::path hidden = scratch_ / ".killed-images.partial";
    ASSERT_TRUE(fs::exists(hidden / "pgd-linf-2.6_255/129.npy"));
    fs::resize_file(hidden / "pgd-linf-2.6_255/129.npy", 100);
    EXPECT_FALSE(run(options, 350));
    const auto resumed = run(options, never);
    ASSERT_TRUE(resumed);
    EXPECT_EQ(resumed->robust, whole->robust);
    EXPECT_EQ(files_in(options.images), files);
    EXPECT_FALSE(fs::exists(hidden));

    // The stores were made without images. Now images are requested, too.
    options = saving("whole", "late-images", ImageForm::npy);
    run(options, never);
    EXPECT_EQ(files_in(options.images), files);

    // The next run computes nothing, and its numbers come from the record.
    const auto again = run(options, never);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->robust, whole->robust);
    EXPECT_EQ(again->folder, fs::absolute(options.images) / "pgd-linf-2.6_255");
}

TEST_F(AttackedFiles, NoRoundingLeavesTheBudget) {
    RandomStream random(3, "rounding", 0);
    const attack::AttackFile euclid = {ImageForm::png, {3, 4, 5}, true, Norm::l2, .1};
    const auto largest = [](double eps) {
        return attack::AttackFile{ImageForm::png, {3, 4, 5}, false, Norm::linf, eps};
    };
    // 1, 2 and 8 levels, typed as decimals that are slightly too small.
    for (const attack::AttackFile& file :
         {euclid, largest(3.7 / 255), largest(.00392), largest(.00784), largest(.03137)}) {
        SCOPED_TRACE(file.eps);
        for (int k = 0; k < 50; ++k) {
            std::vector<float> original(60), image(60), read(60);
            double squares = 0;
            for (float& v : original) v = static_cast<float>(random.below(256)) / 255;
            std::vector<double> moved(60);
            for (double& m : moved) {
                m = 2 * random.uniform() - 1;
                squares += m * m;
            }
            for (std::size_t i = 0; i < 60; ++i) {
                const double by = file.norm == Norm::l2 ? moved[i] * file.eps / std::sqrt(squares)
                                                        : (moved[i] > 0 ? file.eps : -file.eps);
                image[i] = std::clamp(original[i] + static_cast<float>(by), 0.0F, 1.0F);
            }
            ASSERT_TRUE(file.allows(original, image));
            const auto bytes = file.encoded(original, image);
            write_file_atomically(
                scratch_ / "a.png",
                std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
            ASSERT_TRUE(file.read(scratch_ / "a.png", read));
            EXPECT_TRUE(file.allows(original, read));
            for (std::size_t i = 0; i < 60; ++i) EXPECT_LT(std::abs(read[i] - image[i]), 1.0 / 255);
            read[7] = original[7] < .5F ? original[7] + .2F : original[7] - .2F;
            EXPECT_FALSE(file.allows(original, read));
        }
    }
}

TEST_F(AttackedFiles, ChangesOfNearlyALevelLeaveNoBudgetOfTheEuclideanNorm) {
    // All 60 numbers change by .9995 levels. Rounded to whole levels, the change would exceed eps
    // by 1.5e-5.
    const double eps = .9995 * std::sqrt(60.) / 255;
    const attack::AttackFile file = {ImageForm::png, {3, 4, 5}, false, Norm::l2, eps};
    const std::vector<float> original(60, 100.0F / 255);
    std::vector<float> image(60), read(60);
    for (std::size_t i = 0; i < 60; ++i)
        image[i] = static_cast<float>((i % 2 == 0 ? 100.9995 : 99.0005) / 255);
    ASSERT_TRUE(file.allows(original, image));
    const auto bytes = file.encoded(original, image);
    write_renamed(scratch_ / "a.png", bytes);
    ASSERT_TRUE(file.read(scratch_ / "a.png", read));
    EXPECT_TRUE(file.allows(original, read));
}

TEST_F(AttackedFiles, AFileThatGrewIsNotAsItWasWritten) {
    for (const ImageForm form : {ImageForm::png, ImageForm::npy}) {
        const attack::AttackFile file = {form, {3, 4, 5}, false, Norm::linf, 0};
        const std::vector<float> original(60, 100.0F / 255);
        std::vector<float> read(60);
        std::vector<std::byte> bytes = file.encoded(original, original);
        write_renamed(scratch_ / "a", bytes);
        EXPECT_TRUE(file.read(scratch_ / "a", read));
        bytes.resize(1 << 20);
        write_renamed(scratch_ / "a", bytes);
        EXPECT_FALSE(file.read(scratch_ / "a", read));
    }
}

/// A model whose gradient depends on the number of images in the batch.
class BatchedRed final : public RedClassifier {
public:
    void gradients(const LossBatch& batch, const LossGradients& out) override {
        RedClassifier::gradients(batch, out);
        const std::size_t n = batch.labels.size();
        for (std::size_t k = 0; k < out.gradient.size(); ++k)
            out.gradient[k] -= static_cast<float>(k % 12 * n) / 10;
    }
};

TEST_F(AttackedFiles, ImagesOfEarlierStoresAreMadeAgainInTheBatchesOfTheirOwnStore) {
    const Dataset dataset = images(150);
    const LoadedModel model = red_model("m", std::make_shared<BatchedRed>());
    const auto run = [&](const std::string& runs, const std::string& folder, std::uint32_t batch,
                         std::vector<std::string> attacks) {
        AttackRunOptions options = saving(runs, folder, ImageForm::npy);
        if (folder.empty()) options.images.clear();
        options.norm = Norm::l2;
        options.predict.batch_size = batch;
        options.attacks = std::move(attacks);
        attack_models({&model, 1}, dataset, options);
        return folder.empty() ? std::map<std::string, std::string>()
                              : files_in(options.images / "pgd-l2-2.6_255");
    };
    const auto in_fours = run("fours", "fours-images", 4, {"pgd"});
    const auto in_eights = run("eights", "eights-images", 8, {"pgd"});
    ASSERT_NE(in_fours, in_eights);
    // The stores of one command have different batch sizes: pgd was stored with 4, and fgsm uses
    // the default, 8.
    run("mixed", "", 4, {"pgd"});
    EXPECT_EQ(run("mixed", "mixed-images", 0, {"pgd", "fgsm"}), in_fours);
}

TEST_F(AttackedFiles, ImagesOfStoresThatAreThereTakeTheAttackAlone) {
    Dataset dataset = images(20);
    dataset.labels = {};
    const std::int32_t label = 1;  // all are classified correctly
    for (int i = 0; i < 20; ++i) dataset.labels.append({&label, 1});
    const auto classifier = std::make_shared<RedClassifier>();
    const LoadedModel model = red_model("m", classifier);
    AttackRunOptions options = saving("runs", "adversarial", ImageForm::npy);
    options.attacks = {"pgd"};
    const fs::path folder = options.images;
    options.images.clear();
    attack_models({&model, 1}, dataset, options);
    options.images = folder;
    classifier->scored = 0;
    attack_models({&model, 1}, dataset, options);
    // Scored: one image to test the gradient, the clean images, ten steps, the adversarial images,
    // and their files.
    EXPECT_EQ(classifier->scored, 1U + 20U + 200U + 20U + 20U);
}

TEST_F(AttackedFiles, RefusesAFolderWithOtherLabels) {
    Dataset dataset = images(140);
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    AttackRunOptions options = saving("runs", "adversarial", ImageForm::png);
    options.attacks = {"fgsm"};
    attack_models({&model, 1}, dataset, options);
    dataset.labels = {};
    for (std::int32_t i = 0; i < 140; ++i) {
        const std::int32_t label = i < 100 ? 1 : 0;
        dataset.labels.append({&label, 1});
    }
    options.predict.runs = scratch_ / "corrected";
    EXPECT_THAT(message_of(
                    [&] {
                        attack_models({&model, 1}, dataset, options);
                    },
                    ErrorCode::usage),
                HasSubstr("was made with other settings (labels"));
}

TEST_F(AttackedFiles, RefusesWhatItCannotMean) {
    const Dataset dataset = images(140);
    const std::array models = {red_model("m", std::make_shared<RedClassifier>()),
                               red_model("n", std::make_shared<RedClassifier>())};
    AttackRunOptions options = saving("runs", "adversarial", ImageForm::png);
    const auto said = [&](std::span<const LoadedModel> given) {
        return message_of([&] { attack_models(given, dataset, options); }, ErrorCode::usage);
    };
    EXPECT_THAT(said(models), HasSubstr("name exactly one"));
    const std::span<const LoadedModel> one(models.data(), 1);
    options.space = AttackSpace::normalised_clamped;
    EXPECT_THAT(said(one), HasSubstr("is not an image"));
    options.space = AttackSpace::pixels;
    make_folders(options.images);
    EXPECT_THAT(said(one), HasSubstr("has no attack.json"));
    EXPECT_FALSE(fs::exists(scratch_ / "runs"));
    fs::remove(options.images);
    options.attacks = {"fgsm"};
    attack_models(one, dataset, options);
    options.image_form = ImageForm::npy;
    EXPECT_THAT(said(one), HasSubstr("was made with other settings (form is \"png\", not \"npy\""));
}

}  // namespace
}  // namespace assay
