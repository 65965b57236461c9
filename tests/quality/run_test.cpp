// Measures all nine dimensions from images, with a classifier of coloured images whose accuracies
// are known.
#include "assay/quality/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/evaluate/attack.h"
#include "assay/image/encode.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/random.h"
#include "message_of.h"
#include "quality/run_work.h"
#include "scratch.h"

namespace assay::quality {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::size_t kinds = 3;
constexpr int side = 64;
const std::vector<std::string> kind_names = {"blue", "green", "red"};

/// A model that predicts the brightest channel. Scores are 20 x the means of the channels.
class BrightestChannel : public Classifier {
public:
    BrightestChannel() {
        facts_.classes = kinds;
        facts_.device = "cpu";
        facts_.parameters = 1'500'000;
    }
    const ModelFacts& facts() const override { return facts_; }
    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        if (calls++ >= stop_after) throw Error(ErrorCode::interrupted, "stopped");
        const std::size_t plane = input.size() / n / kinds;
        for (std::size_t i = 0; i < n; ++i) {
            double total = 0;
            for (std::size_t c = 0; c < kinds; ++c) {
                double sum = 0;
                for (std::size_t k = 0; k < plane; ++k)
                    sum += static_cast<double>(input[(i * kinds + c) * plane + k]);
                // The planes are red, green, blue, and classes are ordered by name.
                double score = 20 * sum / static_cast<double>(plane);
                if (probabilities) total += score = std::exp(score);
                out[i * kinds + kinds - 1 - c] = static_cast<float>(score);
            }
            for (std::size_t c = 0; probabilities && c < kinds; ++c)
                out[i * kinds + c] /= static_cast<float>(total);
            const std::span<float> own = out.subspan(i * kinds, kinds);
            std::vector<float> best(own.begin(), own.end());
            std::sort(best.rbegin(), best.rend());
            if (static_cast<double>(best[0] - best[1]) < least_lead)
                std::fill(own.begin(), own.end(), std::numeric_limits<float>::quiet_NaN());
        }
    }
    void gradients(const LossBatch& batch, const LossGradients& out) override {
        if (!differentiable) return Classifier::gradients(batch, out);
        const float slope = flat ? 0.F : 20.F;
        const std::size_t n = batch.labels.size(), plane = batch.input.size() / n / kinds;
        scores(batch.input, n, out.scores);
        std::vector<float> d(kinds);
        for (std::size_t i = 0; i < n; ++i) {
            out.losses[i] =
                loss_of(batch.loss, out.scores.subspan(kinds * i, kinds), batch.labels[i], 0, d);
            for (std::size_t k = 0; k < kinds * plane; ++k)
                out.gradient[i * kinds * plane + k] =
                    d[kinds - 1 - k / plane] * slope / static_cast<float>(plane);
        }
    }
    bool differentiable = true, probabilities = false;
    bool flat = false;      ///< whether the gradient is 0
    double least_lead = 0;  ///< scores are NaN if the best two are closer than this
    std::atomic<std::size_t> calls = 0;
    std::size_t stop_after = std::numeric_limits<std::size_t>::max();

private:
    ModelFacts facts_;
};

class QualityRuns : public testing::Test {
protected:
    /// Writes `each` images of each class in folders. The channel of the class is up to 90 levels
    /// brighter than the others, or darker in one of `odd` images.
    fs::path folder(const std::string& name, int each = 8, int odd = 4) {
        const fs::path root = scratch_ / "images" / name;
        for (std::size_t kind = 0; kind < kinds; ++kind) {
            make_folders(root / kind_names[kind]);
            for (int i = 0; i < each; ++i)
                write_image(root / kind_names[kind] / file_name(name, kind, i), kind,
                            i % odd == odd - 1);
        }
        return root;
    }
    static std::string file_name(const std::string& name, std::size_t kind, int i) {
        if (name == "cue-conflict") {
            return kind_names[kind] + std::to_string(i) + "-" +
                   kind_names[(kind + 1 + static_cast<std::size_t>(i % 2)) % kinds] +
                   std::to_string(i) + ".png";
        }
        return kind_names[kind] + "_" + std::to_string(i) + ".png";
    }
    void write_image(const fs::path& file, std::size_t kind, bool wrong) {
        Image image{side, side, {}};
        RandomStream random(7, "images of the test", drawn_++);
        const double lead = (wrong ? -1 : 1) * (10 + 80 * random.uniform());
        for (int i = 0; i < side * side; ++i) {
            for (std::size_t c = 0; c < kinds; ++c) {
                image.pixels.push_back(static_cast<std::uint8_t>(
                    100 + 40 * random.uniform() + (c == kinds - 1 - kind ? lead : 0)));
            }
            image.pixels.push_back(255);
        }
        const std::vector<std::byte> bytes = encode_png(image);
        write_file_atomically(
            file, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    }
    Dataset open(Role role, const fs::path& path) {
        DatasetOptions how;
        how.classes = ClassList(kind_names);
        return open_role(role, path, how);
    }
    /// Makes a small data set for every role.
    std::map<Role, Dataset> all_roles() {
        std::map<Role, Dataset> data;
        for (const RoleFacts& facts : role_facts())
            data.emplace(facts.role, open(facts.role, folder(std::string(facts.name))));
        return data;
    }
    LoadedModel model(const std::string& name, std::shared_ptr<BrightestChannel> classifier) {
        LoadedModel loaded;
        loaded.spec.name = name;
        loaded.spec.path = name + ".pt";
        loaded.spec.classes = ClassList(kind_names);
        loaded.spec.preprocess.width = loaded.spec.preprocess.height = side;
        loaded.spec.preprocess.crop_mode = CropMode::none;
        loaded.classifier = std::move(classifier);
        loaded.file_hash = hash_text(name);
        return loaded;
    }
    QualityRunOptions options(const std::string& runs, std::map<Role, Dataset> data) {
        QualityRunOptions out;
        out.predict.runs = scratch_ / runs;
        out.predict.batch_size = 4;
        out.predict.shard_rows = 8;
        out.predict.threads = 2;
        out.models = {model("m", std::make_shared<BrightestChannel>())};
        out.data = std::move(data);
        out.corruptions.window = {0, 0};
        out.corruptions.corruptions = {"contrast", "pixelate"};
        out.corrupt_limit = 6;
        out.attack_limit = 12;
        out.check_sample = 16;
        return out;
    }
    std::string text(const std::string& file) { return read_text(scratch_ / file, 1 << 24); }

    Scratch scratch_;
    std::uint64_t drawn_ = 0;
};

const Estimate& value_of(const MeasuredModel& model, Dimension dimension) {
    return model.values[static_cast<std::size_t>(dimension)];
}

TEST_F(QualityRuns, AllDimensionsOfAllRoles) {
    QualityRunOptions asked = options("runs", all_roles());
    asked.corruptions.corruptions = {"paper"};
    asked.corrupt_limit = 3;
    const QualityRunResult result = run_quality(asked);
    EXPECT_FALSE(result.partial);
    ASSERT_EQ(result.measured.models.size(), 1U);
    const MeasuredModel& measured = result.measured.models[0];
    for (const DimensionFacts& facts : dimension_facts()) {
        EXPECT_TRUE(value_of(measured, facts.dimension).value.has_value())
            << facts.name << ": " << value_of(measured, facts.dimension).undefined;
    }
    // Two of 8 images of a class are the darker ones.
    EXPECT_NEAR(*value_of(measured, Dimension::accuracy).value, .75, 1e-12);
    EXPECT_NEAR(*value_of(measured, Dimension::parameters).value, 1.5, 1e-12);
    EXPECT_NEAR(*value_of(measured, Dimension::object_focus).value, 1, 1e-12);
    EXPECT_NEAR(*value_of(measured, Dimension::ood_robustness).value, 1, 1e-12);
    // Samples of val are separate data sets.
    EXPECT_TRUE(fs::exists(scratch_ / "runs/val-attacked-12/m@pgd-linf-8_255/manifest.json"));
    EXPECT_TRUE(fs::exists(scratch_ / "runs/val-corrupted-3_fog_3/m/manifest.json"));
    EXPECT_TRUE(fs::exists(scratch_ / "runs/val-corrupted-3/m/manifest.json"));
    EXPECT_FALSE(fs::exists(scratch_ / "runs/val/m@pgd-linf-8_255"));
    // The written table equals the shown one, and can be read again.
    const QualityTable read = read_quality_table(scratch_ / "runs/quality.csv");
    ASSERT_EQ(read.models.size(), 1U);
    EXPECT_EQ(read.models[0].cell(Dimension::accuracy).value, .75);
    const Report report = report_of(result);
    EXPECT_FALSE(report.partial);
    EXPECT_TRUE(report.result.contains("score"));
    EXPECT_EQ(nlohmann::json::parse(text("runs/quality.json")), report.result);
    // The json file keeps everything of a cell, including the shares of its error.
    const QualityModel again = read_quality_table(scratch_ / "runs/quality.json").models.at(0);
    EXPECT_EQ(again.name, "m");
    EXPECT_EQ(again.cells, result.measured.table.models[0].cells);
}

TEST_F(QualityRuns, StoppedAnywhereItEndsWithTheSameBytes) {
    const std::map<Role, Dataset> data = all_roles();
    // One model has notes from attacks and from the guards.
    const auto models = [&](std::size_t stop_after) {
        const auto classifier = std::make_shared<BrightestChannel>();
        classifier->stop_after = stop_after;
        const auto faulty = std::make_shared<BrightestChannel>();
        faulty->flat = faulty->probabilities = true;
        return std::vector<LoadedModel>{model("m", classifier), model("faulty", faulty)};
    };
    constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
    const auto finished = [&](const std::string& runs) {
        QualityRunOptions asked = options(runs, data);
        asked.models = models(never);
        return run_quality(asked);
    };
    const QualityRunResult reference = finished("whole");
    EXPECT_TRUE(reference.partial);
    const nlohmann::json noted = nlohmann::json::parse(text("whole/quality.json"));
    EXPECT_FALSE(noted.at("findings").empty());
    const std::string notes = noted.at("models")[1].at("notes").dump();
    EXPECT_THAT(notes, HasSubstr("the gradient is zero"));
    EXPECT_THAT(notes, HasSubstr("assay check: "));
    EXPECT_THAT(noted.at("warnings").dump(), HasSubstr("faulty: assay check: "));
    std::size_t stops = 0;
    // Each interrupted run gets further than the previous one, until one finishes.
    for (std::size_t after = 3;; after = after * 3 / 2) {
        QualityRunOptions asked = options("stopped", data);
        asked.models = models(after);
        asked.check = after % 2 == 0;
        try {
            run_quality(asked);
            break;
        } catch (const Error& error) {
            ASSERT_EQ(error.code(), ErrorCode::interrupted) << error.what();
            EXPECT_FALSE(fs::exists(scratch_ / "stopped/quality.json"));
            ++stops;
        }
    }
    EXPECT_GT(stops, 5U);
    finished("stopped");
    for (const char* file : {"quality.json", "quality.csv"}) {
        std::string whole = text(std::string("whole/") + file);
        EXPECT_FALSE(whole.empty());
        for (std::size_t at; (at = whole.find((scratch_ / "whole").string())) != whole.npos;)
            whole.replace(at, (scratch_ / "whole").string().size(),
                          (scratch_ / "stopped").string());
        EXPECT_EQ(whole, text(std::string("stopped/") + file));
    }
}

TEST_F(QualityRuns, WhatHasNoDataIsNamedAndLeftOut) {
    std::map<Role, Dataset> data = all_roles();
    data.erase(Role::edge);
    data.erase(Role::mixed_rand);
    QualityRunOptions asked = options("runs", std::move(data));
    asked.corrupt = false;
    const QualityRunResult result = run_quality(asked);
    EXPECT_FALSE(result.partial);
    const MeasuredModel& measured = result.measured.models[0];
    const auto why = [&](Dimension dimension) {
        EXPECT_FALSE(value_of(measured, dimension).value) << facts_of(dimension).name;
        EXPECT_FALSE(result.measured.table.models[0].cell(dimension).value);
        return value_of(measured, dimension).undefined;
    };
    EXPECT_THAT(why(Dimension::ood_robustness), HasSubstr("edge"));
    EXPECT_THAT(why(Dimension::object_focus), HasSubstr("mixed-rand"));
    EXPECT_THAT(why(Dimension::c_robustness), HasSubstr("no corruption is requested"));
    EXPECT_TRUE(value_of(measured, Dimension::shape_bias).value);
    EXPECT_FALSE(report_of(result).result.contains("score"));
}

/// The C-robustness that a run without other dimensions measures on samples of val.
class SamplesOfVal : public QualityRuns {
protected:
    QualityRunResult of(const std::string& runs, const Dataset& val, std::size_t limit) {
        QualityRunOptions asked = options(runs, {{Role::val, val}});
        asked.attack = asked.check = false;
        asked.corruptions.corruptions = {"paper"};
        asked.corrupt_limit = limit;
        return run_quality(asked);
    }
};

TEST_F(SamplesOfVal, AreMeasuredEachByItself) {
    const Dataset val = open(Role::val, folder("val", 4, 2));
    const auto cell = [&](const QualityRunResult& result) {
        EXPECT_FALSE(result.partial);
        EXPECT_THAT(result.measured.warnings, IsEmpty());
        const QualityCell& found = result.measured.table.models.at(0).cell(Dimension::c_robustness);
        EXPECT_TRUE(found.value) << found.undefined;
        return found;
    };
    const QualityCell three = cell(of("three", val, 3)), six = cell(of("six", val, 6));
    EXPECT_NE(three.n, six.n);
    // The second run finds the corrupted images of the first run in its folder.
    cell(of("both", val, 3));
    EXPECT_EQ(cell(of("both", val, 6)), six);
    EXPECT_EQ(cell(of("both", val, 3)), three);
}

TEST_F(QualityRuns, WhatIsLeftOutIsNotMeasuredWhateverIsThere) {
    const std::map<Role, Dataset> data = {{Role::val, open(Role::val, folder("val"))}};
    QualityRunOptions asked = options("runs", data);
    asked.models.push_back(model("n", std::make_shared<BrightestChannel>()));
    const QualityRunResult all = run_quality(asked);
    EXPECT_TRUE(value_of(all.measured.models[0], Dimension::adversarial_robustness).value);
    // A corrupted version lacks a shard, as after an interrupted run.
    for (const auto& shard :
         fs::directory_iterator(scratch_ / "runs/val-corrupted-6_contrast_1/m/shards"))
        fs::remove(shard.path());
    asked.corrupt = asked.attack = false;
    const QualityRunResult result = run_quality(asked);
    EXPECT_FALSE(result.partial);
    EXPECT_THAT(report_of(result).warnings, IsEmpty());
    for (const MeasuredModel& measured : result.measured.models) {
        EXPECT_THAT(value_of(measured, Dimension::adversarial_robustness).undefined,
                    HasSubstr("no attack is requested"));
        for (const QualityPart& part : measured.parts) {
            EXPECT_NE(part.dimension, Dimension::adversarial_robustness) << part.name;
            EXPECT_NE(part.dimension, Dimension::c_robustness) << part.name;
        }
    }
    for (const QualityModel& row : result.measured.table.models) {
        for (const Dimension d : {Dimension::adversarial_robustness, Dimension::c_robustness})
            EXPECT_EQ(row.cell(d).definition, "");
    }
    // The same for one model. The stores with its name belong to another model.
    asked.attack = true;
    const auto blind = std::make_shared<BrightestChannel>();
    blind->differentiable = false;
    asked.models[1].classifier = blind;
    for (const MeasuredModel& measured : run_quality(asked).measured.models) {
        EXPECT_EQ(value_of(measured, Dimension::adversarial_robustness).value.has_value(),
                  measured.model == "m");
    }
}

TEST_F(QualityRuns, ThePlanKnowsWhatReducedScoresAndFewCorruptionsCannotGive) {
    const std::map<Role, Dataset> data = all_roles();
    for (const StorageFormat storage : {StorageFormat::top_k, StorageFormat::label}) {
        QualityRunOptions asked = options("runs" + std::string(name_of(storage)), data);
        asked.predict.storage.storage = storage;
        asked.predict.storage.top_k = storage == StorageFormat::top_k ? 2 : 0;
        std::map<Dimension, std::string> missing;
        for (const MissingDimension& one : plan_quality(asked).missing)
            missing[one.dimension] = one.why;
        EXPECT_THAT(missing[Dimension::calibration_error], HasSubstr(name_of(storage)));
        const QualityRunResult result = run_quality(asked);
        EXPECT_FALSE(result.partial);
        // With top-k stores the value may be known. Here three classes are stored, so a note says
        // so.
        const bool maybe = storage == StorageFormat::top_k;
        EXPECT_EQ(missing.contains(Dimension::class_balance), !maybe);
        EXPECT_EQ(testing::PrintToString(plan_quality(asked).notes).find("class balance: ") !=
                      std::string::npos,
                  maybe);
        for (const DimensionFacts& facts : dimension_facts()) {
            const Estimate& value = value_of(result.measured.models[0], facts.dimension);
            if (maybe && facts.dimension == Dimension::class_balance) continue;
            EXPECT_EQ(value.value.has_value(), !missing.contains(facts.dimension)) << facts.name;
            EXPECT_EQ(value.undefined.empty(), value.value.has_value());
        }
        // As in the message of the measurement, two of the 15 corruptions exist.
        EXPECT_EQ(missing[Dimension::c_robustness],
                  value_of(result.measured.models[0], Dimension::c_robustness).undefined);
        EXPECT_THAT(missing[Dimension::c_robustness], HasSubstr("65 of the 75 versions"));
    }
}

TEST_F(QualityRuns, ThePlanKnowsWhichClassMapsReducedScoresCannotAnswer) {
    QualityRunOptions asked = options("runs", all_roles());
    asked.models[0].spec.classes = imagenet_classes();
    asked.corrupt = asked.attack = false;
    for (auto& role : asked.data) role.second.classes = imagenet_classes();
    const auto missing = [&] {
        std::map<Dimension, std::string> found;
        for (const MissingDimension& one : missing_of(asked, {})) found[one.dimension] = one.why;
        return found;
    };
    EXPECT_EQ(missing().size(), 2U);  // dimensions that were not requested
    asked.predict.storage = {StorageFormat::label};
    EXPECT_THAT(missing()[Dimension::ood_robustness],
                AllOf(HasSubstr("r (imagenet-r)"), HasSubstr("sketch (16-class)")));
    EXPECT_THAT(missing()[Dimension::shape_bias], HasSubstr("cue-conflict (16-class)"));
    // IN-9 only uses the best class.
    EXPECT_FALSE(missing().contains(Dimension::object_focus));
    asked.measure.own_class_sketch = true;
    EXPECT_THAT(missing()[Dimension::ood_robustness], Not(HasSubstr("sketch")));
}

TEST_F(QualityRuns, OneModelWithoutGradientsDoesNotStopTheOthers) {
    QualityRunOptions asked = options("runs", {{Role::val, open(Role::val, folder("val"))}});
    asked.corrupt = false;
    const auto blind = std::make_shared<BrightestChannel>();
    blind->differentiable = false;
    asked.models.push_back(model("blind", blind));
    const QualityRunResult result = run_quality(asked);
    EXPECT_FALSE(result.partial);
    ASSERT_EQ(result.measured.models.size(), 2U);
    for (const MeasuredModel& measured : result.measured.models) {
        const Estimate& value = value_of(measured, Dimension::adversarial_robustness);
        EXPECT_EQ(value.value.has_value(), measured.model == "m");
        if (measured.model == "blind") {
            EXPECT_THAT(value.undefined, HasSubstr("no gradients"));
        }
        EXPECT_TRUE(value_of(measured, Dimension::accuracy).value);
    }
}

TEST_F(QualityRuns, ImagesThatCannotBeReadMakeItPartial) {
    const fs::path val = folder("val");
    write_file_atomically(val / "red/red_1.png", "no image");
    QualityRunOptions asked = options("runs", {{Role::val, open(Role::val, val)}});
    asked.corrupt = asked.attack = false;
    const QualityRunResult result = run_quality(asked);
    EXPECT_TRUE(result.partial);
    EXPECT_TRUE(report_of(result).partial);
    EXPECT_THAT(testing::PrintToString(report_of(result).warnings), HasSubstr("1 of 24"));
}

TEST_F(QualityRuns, TheFileSaysWhyItIsPartial) {
    const fs::path val = folder("val");
    write_file_atomically(val / "red/red_1.png", "no image");
    QualityRunOptions asked = options("runs", {{Role::val, open(Role::val, val)}});
    asked.corrupt_limit = asked.attack_limit = 0;
    run_quality(asked);
    const std::string first = text("runs/quality.json");
    const nlohmann::json warnings = nlohmann::json::parse(first).at("warnings");
    const auto said = [&](const std::string& what) {
        return std::ranges::count_if(warnings, [&](const nlohmann::json& warning) {
            return warning.get<std::string>().starts_with(what);
        });
    };
    EXPECT_EQ(said("m on val: 1 of 24 rows has no score; the first: red/red_1.png: "), 1);
    EXPECT_EQ(
        said("m on 10 corrupted versions of val (the first: val_contrast_1): 10 of 240 rows "), 1)
        << warnings;
    // The second time, nothing is predicted.
    run_quality(asked);
    EXPECT_EQ(text("runs/quality.json"), first);
}

TEST_F(QualityRuns, ScoresThatAreNoNumbersUnderAttackMakeItPartial) {
    // The margin of every image is at least 10 levels of 255, and the attack removes 16.
    const Dataset val = open(Role::val, folder("val", 8, 100));
    QualityRunOptions asked = options("runs", {{Role::val, val}});
    const auto classifier = std::make_shared<BrightestChannel>();
    classifier->least_lead = 20 * 9. / 255;
    asked.models = {model("m", classifier)};
    asked.corrupt = asked.check = false;
    asked.attack_limit = 0;
    const QualityRunResult result = run_quality(asked);
    EXPECT_TRUE(result.partial);
    EXPECT_THAT(testing::PrintToString(result.measured.warnings),
                AllOf(HasSubstr("m on val under fgsm at 8/255: the scores of "),
                      HasSubstr(" images are not finite: they count as misclassified"),
                      Not(HasSubstr("no score"))));
    const Estimate& value = value_of(result.measured.models[0], Dimension::adversarial_robustness);
    EXPECT_EQ(value.n, 24U);
    EXPECT_LT(*value.value, 1);
    // The number equals that of the attack commands.
    AttackRunOptions how;
    how.predict = asked.predict;
    const auto attacked = attack_models(asked.models, val, how);
    EXPECT_EQ(attacked[0].geometric_mean.at(0).second.value, value.value);
    EXPECT_EQ(attacked[0].geometric_mean.at(0).second.interval, value.interval);
    EXPECT_EQ(attacked[0].geometric_mean.at(0).second.standard_error, value.standard_error);
}

TEST_F(QualityRuns, OnlyTheChosenVersionsAreMeasured) {
    QualityRunOptions asked = options("runs", {{Role::val, open(Role::val, folder("val", 1))}});
    asked.attack = asked.check = false;
    asked.corrupt_limit = 0;
    asked.corruptions.corruptions = {"paper"};
    const auto robustness = [&] {
        return value_of(run_quality(asked).measured.models[0], Dimension::c_robustness);
    };
    EXPECT_TRUE(robustness().value);
    asked.corruptions.corruptions = {"contrast", "pixelate"};
    const std::string why = robustness().undefined;
    EXPECT_THAT(why, HasSubstr("65 of the 75 versions are missing"));
    EXPECT_EQ(plan_quality(asked).missing.back().why, why);
}

TEST_F(QualityRuns, WhatRunsHoldsUnderTheSameNameIsRefusedBeforeAnythingIsPredicted) {
    const auto classifier = std::make_shared<BrightestChannel>();
    const auto on = [&](const std::string& runs, const Dataset& val, const std::string& name) {
        QualityRunOptions asked = options(runs, {{Role::val, val}});
        asked.models = {model(name, classifier)};
        asked.corrupt = asked.attack = asked.check = false;
        return asked;
    };
    const fs::path runs = scratch_ / "runs";
    const Dataset val = open(Role::val, folder("val"));
    const auto refused = [&](const Dataset& dataset) {
        const QualityRunOptions asked = on("runs", dataset, "m");
        const std::size_t before = classifier->calls;
        const std::string message = message_of([&] { run_quality(asked); });
        EXPECT_EQ(message_of([&] { plan_quality(asked); }), message);
        EXPECT_EQ(classifier->calls, before);
        return message;
    };
    run_quality(on("runs", val, "m"));
    // The folder was renamed, but the stores still say `val`.
    fs::rename(runs / "val", runs / "v1");
    Dataset renamed = val;
    renamed.name = "v1";
    EXPECT_THAT(
        refused(renamed),
        AllOf(HasSubstr(
                  "runs/v1 holds predictions on the data set `val`, but the folder was renamed"),
              HasSubstr("name the folder `val`")));
    // If the same data set were in another folder, predictions of the model would appear twice.
    EXPECT_THAT(refused(val), HasSubstr("are both predictions of `m` on `val`"));
    fs::rename(runs / "v1", runs / "val");
    run_quality(on("runs", val, "m"));
    // Other images with the same names, other items, and another model are refused.
    const auto other = [&](const std::string& name, int each) {
        Dataset dataset = open(Role::val, folder(name, each));
        dataset.name = "val";
        fs::remove_all(scratch_ / "elsewhere");
        fs::remove_all(runs / "again");
        run_quality(on("elsewhere", dataset, "n"));
        fs::rename(scratch_ / "elsewhere/val", runs / "again");
        return refused(val);
    };
    for (const auto& [name, each] : {std::pair{"same names", 8}, {"others", 4}}) {
        EXPECT_THAT(other(name, each),
                    HasSubstr("again/n belongs to another data set that is also named `val`"));
    }
    // Stores that the run does not use have no effect.
    fs::rename(runs / "again", runs / "val-other");
    renamed.name = "unheard of";
    EXPECT_FALSE(run_quality(on("runs", renamed, "m")).partial);
}

TEST_F(QualityRuns, ImagesTooSmallForACorruptionTakeOneDimensionAlone) {
    QualityRunOptions asked = options("runs", {{Role::val, open(Role::val, folder("val"))}});
    asked.attack = false;
    asked.corruptions.window = {8, 8};
    asked.corruptions.profile = CorruptionProfile::imagenet;
    asked.corrupt_limit = 0;
    asked.corruptions.corruptions = {"contrast", "glass_blur"};  // one of these versions fits
    const QualityRunResult result = run_quality(asked);
    const MeasuredModel& measured = result.measured.models[0];
    EXPECT_THAT(value_of(measured, Dimension::c_robustness).undefined,
                HasSubstr("of the 75 versions are missing"));
    EXPECT_TRUE(value_of(measured, Dimension::accuracy).value);
    EXPECT_TRUE(fs::exists(scratch_ / "runs/val_glass_blur_1"));
    EXPECT_FALSE(fs::exists(scratch_ / "runs/val_glass_blur_2"));
}

TEST_F(QualityRuns, AFaultIsANoteOnTheModelsCells) {
    const auto run = [&](const std::string& runs, bool faulty, bool check) {
        QualityRunOptions asked = options(runs, {{Role::val, open(Role::val, folder("val", 16))}});
        asked.corrupt = asked.attack = false;
        asked.check = check;
        const auto classifier = std::make_shared<BrightestChannel>();
        classifier->probabilities = faulty;
        asked.models.push_back(model("faulty", classifier));
        return run_quality(asked);
    };
    const QualityRunResult result = run("runs", true, true);
    EXPECT_TRUE(result.partial);
    EXPECT_THAT(testing::PrintToString(result.measured.warnings), HasSubstr("faulty: "));
    for (const QualityModel& row : result.measured.table.models) {
        const std::string& note = row.cell(Dimension::calibration_error).note;
        EXPECT_EQ(note.find("outputs.kind") != note.npos, row.name == "faulty") << note;
    }
    EXPECT_FALSE(run("without", true, false).partial);
    EXPECT_FALSE(run("sound", false, true).partial);
}

TEST_F(QualityRuns, ThePlanSaysWhatIsLeftAndWritesNothing) {
    const std::map<Role, Dataset> data = all_roles();
    QualityRunOptions asked = options("runs", data);
    asked.data.erase(Role::r);
    const QualityPlan before = plan_quality(asked);
    EXPECT_FALSE(fs::exists(scratch_ / "runs"));
    const auto step = [](const QualityPlan& plan, const std::string& name) {
        for (const QualityStep& one : plan.steps) {
            if (one.name == name) return one;
        }
        ADD_FAILURE() << name;
        return QualityStep{};
    };
    EXPECT_EQ(before.steps.size(), 1U + 8 + 1 + 1);
    EXPECT_EQ(step(before, "val").passes, 24U);
    // There are 10 versions and the clean sample.
    EXPECT_EQ(step(before, "corruptions").passes, 6U * 11);
    EXPECT_EQ(step(before, "corruptions").dataset, "val-corrupted-6");
    EXPECT_EQ(step(before, "attacks").images, 12U);
    EXPECT_GT(before.seconds, 0);
    ASSERT_EQ(before.missing.size(), 2U);
    EXPECT_EQ(before.missing[0].dimension, Dimension::ood_robustness);
    EXPECT_EQ(before.missing[0].why, "no data set has the role r");
    EXPECT_EQ(before.missing[1].dimension, Dimension::c_robustness);

    QualityPlan announced;
    asked.announce = [&](const QualityPlan& plan) { announced = plan; };
    run_quality(asked);
    EXPECT_EQ(announced.steps.size(), before.steps.size());
    const QualityPlan after = plan_quality(asked);
    for (const QualityStep& one : after.steps) EXPECT_EQ(one.done, one.name == "check" ? 0 : 1);
    // One of three shards of the sketches is missing.
    fs::remove(asked.predict.runs / "sketch/m/shards/000001.json");
    const QualityPlan again = plan_quality(asked);
    EXPECT_NEAR(step(again, "sketch").done, 2. / 3, 1e-12);
    EXPECT_EQ(step(again, "val").seconds, 0);
    // Everything that a step writes is counted: 4 stores of attacks, and 11 of corruptions.
    fs::remove_all(asked.predict.runs / "val-attacked-12/m@noise-linf-8_255");
    EXPECT_NEAR(step(plan_quality(asked), "attacks").done, 3. / 4, 1e-12);
    fs::remove_all(asked.predict.runs / "val-attacked-12/m");
    EXPECT_NEAR(step(plan_quality(asked), "attacks").done, 2. / 4, 1e-12);
    fs::remove_all(asked.predict.runs / "val-corrupted-6/m");
    EXPECT_NEAR(step(plan_quality(asked), "corruptions").done, 10. / 11, 1e-12);
}

TEST_F(QualityRuns, WhatIsWrongIsSaidBeforeAnythingIsWritten) {
    const std::map<Role, Dataset> data = all_roles();
    const auto refused = [&](const std::function<void(QualityRunOptions&)>& change) {
        QualityRunOptions asked = options("runs", data);
        change(asked);
        const std::string message = message_of([&] { run_quality(asked); }, ErrorCode::usage);
        EXPECT_FALSE(fs::exists(scratch_ / "runs"));
        return message;
    };
    EXPECT_THAT(refused([](auto& o) { o.data.erase(Role::val); }), HasSubstr("val"));
    EXPECT_THAT(refused([](auto& o) { o.models.clear(); }), HasSubstr("no model"));
    EXPECT_THAT(refused([](auto& o) { o.data.at(Role::edge).name = "sketch"; }),
                HasSubstr("`sketch` has two roles, sketch and edge"));
    EXPECT_THAT(refused([](auto& o) { o.data.at(Role::edge).name = "val-attacked-12"; }),
                HasSubstr("like a sample of val; rename it"));
    EXPECT_THAT(refused([](auto& o) { o.corruptions.corruptions = {"fogg"}; }), HasSubstr("fog"));
    EXPECT_THAT(refused([&](auto& o) {
                    o.models.push_back(model("n", std::make_shared<BrightestChannel>()));
                    o.models[1].spec.classes = ClassList({"cyan", "green", "red"});
                }),
                HasSubstr("different class lists"));
    EXPECT_THAT(refused([](auto& o) { o.data.at(Role::val).name = "val_fog_3"; }),
                HasSubstr("already corrupted"));
    EXPECT_THAT(refused([](auto& o) { o.data.at(Role::val).root = "images/fog/3"; }),
                HasSubstr("fog at severity 3"));
    QualityRunOptions unlabelled = options("runs", data);
    Dataset& val = unlabelled.data.at(Role::val);
    val.labels = LabelSets::from_single(std::vector<std::int32_t>(val.size(), -1));
    for (const auto& call : {std::function<void()>([&] { run_quality(unlabelled); }),
                             std::function<void()>([&] { plan_quality(unlabelled); })}) {
        EXPECT_THAT(message_of(call), HasSubstr("has exactly one label"));
        EXPECT_FALSE(fs::exists(scratch_ / "runs"));
    }
}

}  // namespace
}  // namespace assay::quality
