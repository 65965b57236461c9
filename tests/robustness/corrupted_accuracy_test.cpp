// Accuracy under corruptions, for simulated predictions.
#include "assay/robustness/corrupted_accuracy.h"

#include <gmock/gmock.h>

#include <cmath>

#include "assay/error.h"
#include "core/file.h"
#include "evaluate/saved_scores.h"
#include "message_of.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class CorruptedAccuracyOf : public testing::Test {
protected:
    /// One digit per image: 1 for correct, 0 for incorrect.
    void store(const std::string& dataset, const std::string& correct,
               std::vector<std::string> ids = {}, const std::string& model = "m",
               bool but_last = false, const std::string& runs = "runs") {
        Made made;
        made.dataset = dataset;
        made.classes = 2;
        for (std::size_t i = 0; i < correct.size(); ++i) {
            made.labels.push_back({1});
            made.scores.push_back(correct[i] == '1' ? 0.0F : 2.0F);
            made.scores.push_back(1.0F);
        }
        made.ids = std::move(ids);
        save(scratch_, made, model, StorageFormat::full_f32, 100, but_last, runs);
    }
    /// A store of the same images, all correct, as written by `assay predict`.
    void predicted(const std::string& dataset, const std::string& file, const std::string& steps,
                   std::int32_t label = 1, const std::string& corruption = "",
                   std::vector<ImageFile> images = {}, std::uint32_t shard_rows = 2) {
        Made made;
        made.dataset = dataset;
        made.classes = 2;
        made.labels = {{label}, {1}};
        made.scores = {0, 1, 0, 1};
        const Dataset items = dataset_of(made);
        StoreSpec spec;
        spec.dataset_name = dataset;
        spec.model_name = "m";
        spec.rows = made.rows();
        spec.classes = 2;
        spec.ids_hash = items.ids_fingerprint();
        spec.model_hash = file;
        spec.preprocess_hash = steps;
        spec.provenance_json = "{}";
        spec.shard_rows = shard_rows;
        StoreWriter writer = StoreWriter::open(scratch_ / "runs", spec, items, corruption);
        for (std::size_t s = 0; s < writer.shards(); ++s) {
            const auto first = static_cast<std::size_t>(writer.first_row(s)),
                       n = std::size_t{writer.rows_in(s)};
            writer.write_shard(
                s, std::span(made.scores).subspan(2 * first, 2 * n),
                std::vector<RowState>(n, RowState::ok), {},
                images.empty() ? "" : "xxh128:00000000000000000000000000000001",
                std::span(images).subspan(images.empty() ? 0 : first, images.empty() ? 0 : n));
        }
        writer.finish();
    }
    void clear() const {
        for (const char* runs : {"runs", "more"}) std::filesystem::remove_all(scratch_ / runs);
    }
    CorruptedAccuracyResult measure() const {
        return measure_corrupted({.paths = {(scratch_ / "runs").string()}, .clean = "val"});
    }
    Scratch scratch_;
};

TEST_F(CorruptedAccuracyOf, MeansAndRatiosOfTheSameImages) {
    store("val", "1110");
    store("fog_1", "1100");
    store("val_fog_2", "1000");
    store("gaussian_blur-3", "0000");  // an additional corruption
    store("contrast.5", "1111");
    store("other", "1111");  // a store without corruption
    const CorruptedAccuracyResult result = measure();
    ASSERT_EQ(result.models.size(), 1U);
    const CorruptedModel& m = result.models[0];
    EXPECT_EQ(m.images, 4U);
    EXPECT_DOUBLE_EQ(*m.clean.value, .75);
    ASSERT_EQ(m.versions.size(), 4U);
    EXPECT_EQ(m.versions[0].dataset, "fog_1");
    EXPECT_DOUBLE_EQ(*m.versions[0].accuracy.value, .5);
    EXPECT_EQ(m.versions[0].accuracy.interval->method, "wilson");
    EXPECT_EQ(m.versions[2].corruption->name, "contrast");
    ASSERT_EQ(m.corruptions.size(), 3U);
    // Fog by image: 1, 1/2, 0, 0; mean 3/8, deviation sqrt(0.6875 / 3), by sqrt 4.
    const CorruptedMean& fog = m.corruptions[0].mean;
    EXPECT_DOUBLE_EQ(*fog.accuracy.value, .375);
    EXPECT_NEAR(*fog.accuracy.standard_error, std::sqrt(.6875 / 3) / 2, 1e-12);
    // With R = 1/2, (c - a R) / 0.75 is 2/3, 0, -2/3, 0, with mean 0.
    EXPECT_DOUBLE_EQ(*fog.relative.value, .5);
    EXPECT_NEAR(*fog.relative.standard_error, std::sqrt(8.0 / 9 / 3) / 2, 1e-12);
    // Contrast has 1 and fog has 3/8. The blur is not in the paper's mean.
    EXPECT_DOUBLE_EQ(*m.present.accuracy.value, (1 + .375) / 2);
    EXPECT_FALSE(m.paper.accuracy.value);
    EXPECT_THAT(m.paper.accuracy.undefined,
                HasSubstr("72 of the 75 versions are missing: gaussian_noise 1"));
    EXPECT_FALSE(m.mce.value);
    // All predictions are incorrect, so the deviation is 0, but there is an interval.
    EXPECT_DOUBLE_EQ(*m.corruptions[2].mean.accuracy.value, 0);
    EXPECT_GT(m.corruptions[2].mean.accuracy.interval->high, .3);
    EXPECT_EQ(report_of(result).result["models"][0]["versions"].size(), 4U);
}

// Equal names in two profiles are different images.
TEST_F(CorruptedAccuracyOf, ProfilesAreNeverMixed) {
    const auto made = [&](const std::string& dataset, const std::string& more) {
        predicted(dataset, "file", "steps", 1, R"({"corruption":"fog","severity":1)" + more + "}");
    };
    predicted("val", "file", "steps");
    made("val_fog_1", R"(,"profile":"cifar","revision":2)");
    EXPECT_EQ(measure().models.at(0).profile, CorruptionProfile::cifar);
    EXPECT_EQ(report_of(measure()).result["models"][0]["profile"], "cifar");
    predicted("val_contrast_1", "file", "steps", 1,
              R"({"corruption":"contrast","severity":1,"profile":"cifar"})");
    EXPECT_THAT(measure().warnings, testing::IsEmpty()) << "the revision is of a corruption";
    // A record without a profile means the profile of ImageNet-C.
    predicted("val_snow_2", "file", "steps", 1, R"({"corruption":"snow","severity":2})");
    EXPECT_THAT(message_of([&] { measure(); }),
                AllOf(HasSubstr("val_snow_2/m is of the parameters of ImageNet-C and"),
                      HasSubstr("val_fog_1/m of those of CIFAR-10-C: they are never compared")));
}

TEST_F(CorruptedAccuracyOf, CopiesOnDiskHaveTheProfileOfTheirFolder) {
    for (const char* set : {"c", "d"}) {
        const auto folder = scratch_ / set;
        std::filesystem::create_directories(folder);
        write_file_atomically(folder / "corrupt.json",
                              set[0] == 'c' ? R"({"profile":"tiny-imagenet"})" : "{}");
    }
    const auto of = [&](const std::string& root) {
        Made made;
        made.dataset = "fog_1";
        made.classes = 2;
        made.labels = {{1}, {1}};
        made.scores = {0, 1, 0, 1};
        made.root = scratch_ / root;
        save(scratch_, made, "m", StorageFormat::full_f32, 100, false, "runs");
    };
    store("val", "11");
    of("c/fog/1");
    EXPECT_EQ(measure().models.at(0).profile, CorruptionProfile::tiny_imagenet);
    clear();
    store("val", "11");
    of("d/fog/1");
    EXPECT_EQ(measure().models.at(0).profile, CorruptionProfile::imagenet);
    clear();
    store("val", "11");
    of("published/fog/1");
    EXPECT_EQ(measure().models.at(0).profile, std::nullopt);
}

TEST_F(CorruptedAccuracyOf, MceDividesByAlexNetsErrorsOnImageNetC) {
    predicted("val", "file", "steps");
    for (const Corruption& c : corruptions()) {
        for (int severity = 1; !c.extra && severity <= 5; ++severity)
            predicted(fmt::format("val_{}_{}", c.name, severity), "file", "steps", 1,
                      fmt::format(R"({{"corruption":"{}","severity":{},"profile":"cifar"}})",
                                  c.name, severity));
    }
    const CorruptedModel m = measure().models.at(0);
    EXPECT_TRUE(m.paper.accuracy.value);
    EXPECT_FALSE(m.mce.value);
    EXPECT_THAT(m.mce.undefined, HasSubstr("the mean error without that is 0.0000"));
}

TEST_F(CorruptedAccuracyOf, AVersionWithoutAScoredImageIsNoLongerInTheWay) {
    store("val", "1110");
    store("fog_1", "1100");
    store("fog_2", "1000", {"x", "y", "z", "w"});
    const CorruptedAccuracyResult result = measure();
    ASSERT_EQ(result.models.at(0).versions.size(), 1U);
    EXPECT_EQ(result.models[0].images, 4U);
    EXPECT_THAT(result.warnings,
                testing::Contains(HasSubstr("`fog_2` has no image with a score: not counted")));
}

TEST_F(CorruptedAccuracyOf, VersionsThatWereMadeOfAnotherSampleDoNotCount) {
    // In stores of predict --corrupt, the corruption is in the description of the data set.
    const auto made = [&](const std::string& dataset) {
        predicted(dataset, "file", "steps", 1, R"({"corruption":"fog","severity":1})");
    };
    predicted("val", "file", "steps");
    predicted("val-6", "file", "steps");
    made("val_fog_1");
    made("val-6_fog_1");
    made("my_val_fog_1");
    const auto versions_of = [&](const std::string& clean) {
        std::vector<std::string> names;
        for (const CorruptedModel& model :
             measure_corrupted({.paths = {(scratch_ / "runs").string()}, .clean = clean}).models) {
            for (const CorruptedVersion& version : model.versions) names.push_back(version.dataset);
        }
        return names;
    };
    EXPECT_THAT(versions_of("val"), ElementsAre("val_fog_1"));
    EXPECT_THAT(versions_of("val-6"), ElementsAre("val-6_fog_1"));
    EXPECT_THAT(message_of([&] { versions_of("my_val_fog_1"); }, ErrorCode::usage),
                HasSubstr("if they were made from `my_val_fog_1`"));
    // For published images, only the name shows the corruption, so all names with this ending are
    // used.
    predicted("published_fog_2", "file", "steps");
    EXPECT_THAT(versions_of("val"), ElementsAre("val_fog_1", "published_fog_2"));
}

TEST_F(CorruptedAccuracyOf, VersionsOfAPartCountWhereThereAreNoneOfTheWhole) {
    const auto made = [&](const std::string& dataset) {
        predicted(dataset, "file", "steps", 1, R"({"corruption":"fog","severity":1})");
    };
    const auto first_version = [&](const std::string& clean) {
        const auto result =
            measure_corrupted({.paths = {(scratch_ / "runs").string()}, .clean = clean});
        return result.models.at(0).versions.at(0).dataset;
    };
    predicted("val", "file", "steps");
    made("val-sample2_fog_1");
    EXPECT_EQ(first_version("val"), "val-sample2_fog_1");
    made("val_fog_1");
    EXPECT_EQ(first_version("val"), "val_fog_1");
    predicted("val-sample2", "file", "steps");
    EXPECT_EQ(first_version("val-sample2"), "val-sample2_fog_1");
}

TEST_F(CorruptedAccuracyOf, AVersionOnTheDiskStandsBesideItsPilot) {
    store("val", "1110");
    store("fog_3", "1100");
    store("fog_3-sample2", "10");
    EXPECT_EQ(measure().models.at(0).versions.at(0).dataset, "fog_3");
    std::filesystem::remove_all(scratch_ / "runs/fog_3");
    EXPECT_EQ(measure().models.at(0).versions.at(0).dataset, "fog_3-sample2");
    store("fog_3-sample3", "110");
    EXPECT_THAT(message_of([&] { measure(); }, ErrorCode::bad_input),
                HasSubstr("both fog at severity 3; name the stores of one of them"));
}

TEST_F(CorruptedAccuracyOf, MeanCorruptionErrorDividesByAlexNets) {
    store("val", "1111");
    double expected = 0;
    for (const Corruption& c : corruptions()) {
        if (c.extra) continue;
        // At each next severity, one more of the first four images is incorrect. At the fifth, none
        // is. The errors are 1/4, 2/4, 3/4, 4/4, 0, with the mean 1/2.
        for (int severity = 1; severity <= 5; ++severity)
            store(std::string(c.name) + "_" + std::to_string(severity),
                  std::array{"0111", "0011", "0001", "0000", "1111"}[severity - 1]);
        expected += .5 / *c.alexnet_error / 15;
    }
    const CorruptedModel m = measure().models.at(0);
    EXPECT_NEAR(*m.mce.value, expected, 1e-12);
    EXPECT_NEAR(*m.paper.accuracy.value, .5, 1e-12);
    EXPECT_NEAR(*m.paper.relative.value, .5, 1e-12);
    EXPECT_NEAR(*m.present.accuracy.value, .5, 1e-12);
    // By image, the errors are 4/5, 3/5, 2/5, 1/5, all with the same factor.
    EXPECT_NEAR(*m.mce.standard_error, 2 * expected * std::sqrt((.09 + .01 + .01 + .09) / 3) / 2,
                1e-12);
}

TEST_F(CorruptedAccuracyOf, ImagesAreFoundByIdOrByTheNameOfTheirFile) {
    store("val", "10110", {"a/1.JPEG", "a/2.JPEG", "b/3.JPEG", "b/4.JPEG", "b/5.JPEG"});
    store("fog_1", "0101", {"b/4.png", "b/3.png", "a/1.png", "a/2.png"});       // another order
    store("snow_1", "1001", {"4.jpg", "x/1.jpg", "y/2.jpg", "unknown/3.jpg"});  // new folders
    const CorruptedAccuracyResult result = measure();
    const CorruptedModel& m = result.models.at(0);
    EXPECT_EQ(m.images, 4U);
    EXPECT_DOUBLE_EQ(*m.clean.value, .75);              // 1, 3, 4 of the images 1 to 4
    EXPECT_EQ(m.versions[0].corruption->name, "snow");  // 4 and 3 are correct
    EXPECT_DOUBLE_EQ(*m.versions[0].accuracy.value, .5);
    // With fog, 3 and 2 are correct. (c - R a) / A for 1 to 4, R = 2/3. Only a wrong pairing gives
    // other values.
    const CorruptedMean& fog = m.corruptions[1].mean;
    const double R = 2.0 / 3;
    double squares = 0;
    for (const double h : {0 - R, 1.0, 1 - R, 0 - R}) squares += std::pow(h / .75, 2);
    EXPECT_NEAR(*fog.relative.standard_error, std::sqrt(squares / 3 / 4), 1e-12);
    EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("4 of the 5 clean images")));
}

TEST_F(CorruptedAccuracyOf, NamesThatDifferInTheExtensionAloneAreNotMixedUp) {
    // In the output of `assay corrupt`, the copy of 0.jpg has the name of the clean 0.png.
    store("val", "1010", {"0.jpg", "0.png", "1.jpg", "2.jpg"});
    store("fog_1", "0111", {"0.png", "0.png.png", "1.png", "2.png"});
    const CorruptedAccuracyResult result = measure();
    EXPECT_EQ(result.models.at(0).images, 2U);
    EXPECT_DOUBLE_EQ(*result.models[0].clean.value, .5);
    EXPECT_DOUBLE_EQ(*result.models[0].versions[0].accuracy.value, 1);
    EXPECT_THAT(result.warnings,
                ElementsAre(HasSubstr("2 clean images share their name with another one"),
                            HasSubstr("2 of the 4 clean images")));
    // If both keep their names, the pairs are unambiguous.
    clear();
    store("val", "1010", {"0.jpg", "0.png", "1.jpg", "2.jpg"});
    store("fog_1", "0111", {"2.jpg", "0.png", "0.jpg", "1.jpg"});
    EXPECT_EQ(measure().models.at(0).images, 4U);
    EXPECT_THAT(measure().warnings, testing::IsEmpty());
}

TEST_F(CorruptedAccuracyOf, ImagesThatAreMerelyAbsentAreNotSaidToBeMixedUp) {
    store("val", "1010", {"0.jpg", "0.png", "1.jpg", "2.jpg"});
    store("fog_1", "11", {"1.png", "2.png"});
    EXPECT_THAT(measure().warnings, ElementsAre(HasSubstr("2 of the 4 clean images")));
    // One copy may belong to either image, and the name of another says which. The other image is
    // missing.
    for (const char* copy : {"0.bmp", "0.png.bmp"}) {
        SCOPED_TRACE(copy);
        clear();
        store("val", "1010", {"0.jpg", "0.png", "1.jpg", "2.jpg"});
        store("fog_1", "111", {copy, "1.png", "2.png"});
        EXPECT_THAT(measure().warnings,
                    ElementsAre(HasSubstr("2 clean images share their name with another one"),
                                HasSubstr("2 of the 4 clean images")));
    }
}

TEST_F(CorruptedAccuracyOf, StoresOfAttacksAreLeftOutInOneNote) {
    store("val", "11");
    store("fog_1", "10");
    store("val", "01", {}, "m@pgd-linf-8_255");
    store("val", "01", {}, "m@autoattack-linf-4_255");
    store("val", "01", {}, "n@pgd-linf-8_255");  // the model has no store here
    const CorruptedAccuracyResult result = measure();
    EXPECT_EQ(result.models.size(), 1U);
    EXPECT_THAT(result.warnings, testing::IsEmpty());
    EXPECT_THAT(result.notes, ElementsAre(HasSubstr("3 stores of attacks")));
}

TEST_F(CorruptedAccuracyOf, CleanIsOneDataSet) {
    store("val", "11");
    store("fog_1", "10");
    store("val", "110", {}, "n", false, "more");
    CorruptedAccuracyOptions options;
    options.paths = {(scratch_ / "runs").string(), (scratch_ / "more").string()};
    options.clean = "val";
    EXPECT_THAT(message_of([&] { measure_corrupted(options); }, ErrorCode::usage),
                testing::AllOf(HasSubstr("runs/val"), HasSubstr("more/val"),
                               HasSubstr("different data sets with the same name, `val`")));
}

TEST_F(CorruptedAccuracyOf, AllRightIsExactlyOneForAnyNumberOfImages) {
    for (const std::size_t n : {11U, 18U, 20U, 50U}) {
        SCOPED_TRACE(n);
        clear();
        store("val", std::string(n, '1'));
        for (const char* name : {"fog_1", "fog_2", "fog_3", "snow_1"})
            store(name, std::string(n, '1'));
        const CorruptedMean mean = measure().models.at(0).present;
        EXPECT_EQ(*mean.accuracy.value, 1);
        EXPECT_EQ(mean.accuracy.interval->method, "wilson");
        EXPECT_EQ(mean.accuracy.interval->high, 1);
        EXPECT_EQ(*mean.relative.value, 1);
    }
}

TEST_F(CorruptedAccuracyOf, AWholeModelBesideOneThatIsNot) {
    store("val", std::string(9, '1'));
    for (const Corruption& c : corruptions()) {
        for (int severity = 1; !c.extra && severity <= 5; ++severity)
            store(std::string(c.name) + "_" + std::to_string(severity), std::string(9, '1'));
    }
    store("val", std::string(9, '1'), {}, "n");
    store("fog_1", std::string(9, '1'), {}, "n");
    const CorruptedAccuracyResult result = measure();
    ASSERT_EQ(result.models.size(), 2U);
    const CorruptedModel& m = result.models[0];
    EXPECT_EQ(*m.paper.accuracy.value, 1);
    EXPECT_EQ(m.paper.accuracy.interval->method, "wilson");
    EXPECT_LT(m.paper.accuracy.interval->low, .8);
    EXPECT_EQ(m.paper.accuracy.interval->high, 1);
    EXPECT_EQ(*m.paper.relative.value, 1);
    EXPECT_THAT(m.paper.relative.note, HasSubstr("all images agree"));
    EXPECT_EQ(*m.mce.value, 0);
    EXPECT_FALSE(m.mce.interval);
    // Here, only the other data set lacks images.
    const Report report = report_of(result);
    const auto& table = std::get<Table>(report.sections.at(0).blocks.at(0));
    ASSERT_EQ(table.notes.size(), 2U);
    EXPECT_THAT(table.notes[1],
                HasSubstr("n: mean over the available corruptions only: 74 of the 75"));
}

TEST_F(CorruptedAccuracyOf, ImagesThatAgreeHaveNoDeviationByRounding) {
    store("val", std::string(7, '1'));
    // The image is correct at 2 of 3 severities and at 1 of 1, which gives 5/6 for each image.
    store("fog_1", std::string(7, '1'));
    store("fog_2", std::string(7, '1'));
    store("fog_3", std::string(7, '0'));
    store("snow_1", std::string(7, '1'));
    const CorruptedMean mean = measure().models.at(0).present;
    EXPECT_DOUBLE_EQ(*mean.accuracy.value, 5.0 / 6);
    EXPECT_EQ(mean.accuracy.interval->method, "wilson");
    EXPECT_LT(mean.accuracy.interval->low, .6);
    EXPECT_FALSE(mean.relative.interval);
    // An image that is always incorrect does not affect the ratio, so the other values agree.
    clear();
    store("val", "1110");
    store("fog_1", "1110");
    store("fog_2", "0000");
    store("fog_3", "0000");
    const Estimate relative = measure().models.at(0).present.relative;
    EXPECT_DOUBLE_EQ(*relative.value, 1.0 / 3);
    EXPECT_FALSE(relative.interval);
}

TEST_F(CorruptedAccuracyOf, ImagesOfOneNameInManyFoldersAreNotTakenForOneAnother) {
    store("val", "1111", {"cat/0.png", "cat/1.png", "cat/2.png", "cat/3.png"});
    store("fog_1", "11110000",
          {"cat/0.png", "cat/1.png", "cat/2.png", "cat/3.png", "dog/0.png", "dog/1.png",
           "dog/2.png", "dog/3.png"});
    // With pairing by name alone, the first of the clean images would be used twice.
    store("snow_1", "01111", {"x/0.png", "y/0.png", "x/1.png", "x/2.png", "x/3.png"});
    const CorruptedAccuracyResult result = measure();
    const CorruptedModel& m = result.models.at(0);
    EXPECT_EQ(m.images, 3U);
    EXPECT_DOUBLE_EQ(*m.versions[0].accuracy.value, 1);
    EXPECT_DOUBLE_EQ(*m.versions[1].accuracy.value, 1);
    EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("3 of the 4 clean images")));
}

// The copies that `assay corrupt` writes of a.jpg and a.png are a.jpg.png and a.png.
TEST_F(CorruptedAccuracyOf, ACopyWithAnExtensionBehindAnotherIsOfTheImageWithoutIt) {
    store("val", "101", {"a.jpg", "a.png", "b.jpg"});
    store("fog_1", "010", {"a.jpg.png", "a.png", "b.png"});
    const CorruptedAccuracyResult result = measure();
    EXPECT_EQ(result.models[0].images, 3U);
    EXPECT_DOUBLE_EQ(*result.models[0].clean.value, 2.0 / 3);
    EXPECT_DOUBLE_EQ(*result.models[0].versions[0].accuracy.value, 1.0 / 3);
    EXPECT_THAT(result.warnings, testing::IsEmpty());
}

TEST_F(CorruptedAccuracyOf, IdsThatDifferInTheirExtensionAloneStayApart) {
    store("val", "101", {"a.jpg", "a.png", "b.jpg"});
    store("fog_1", "010", {"a.jpg", "a.png", "b.png"});
    store("snow_1", "11", {"a.webp", "b.jpg"});  // this may be either a
    const CorruptedAccuracyResult both = measure();
    EXPECT_EQ(both.models.at(0).images, 1U);
    std::filesystem::remove_all(scratch_ / "runs/snow_1");
    const CorruptedModel m = measure().models.at(0);
    EXPECT_EQ(m.images, 3U);
    EXPECT_DOUBLE_EQ(*m.versions[0].accuracy.value, 1.0 / 3);
    // The influences for R = 1/2 and A = 2/3, which only this pairing gives.
    double squares = 0;
    for (const double h : {-.5, 1.0, -.5}) squares += std::pow(h * 1.5, 2);
    EXPECT_NEAR(*m.corruptions[0].mean.relative.standard_error, std::sqrt(squares / 2 / 3), 1e-12);
}

TEST_F(CorruptedAccuracyOf, ImagesOfAnotherLabelDoNotCount) {
    predicted("val", "f", "p");
    predicted("fog_1", "f", "p", 0);
    const CorruptedAccuracyResult result = measure();
    EXPECT_EQ(result.models.at(0).images, 1U);
    EXPECT_DOUBLE_EQ(*result.models[0].versions[0].accuracy.value, 1);
    EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("1 corrupted image has a different label"),
                                             HasSubstr("1 of the 2 clean images")));
}

TEST_F(CorruptedAccuracyOf, SaysWhereOneNameIsOfManyMeasurements) {
    predicted("val", "f", "clean");
    predicted("fog_1", "f", "cropped");
    CorruptedAccuracyResult result = measure();
    EXPECT_THAT(result.warnings, ElementsAre());
    EXPECT_THAT(result.notes,
                ElementsAre(HasSubstr("preprocessed in a different way than the clean")));
    predicted("fog_2", "f", "resized");
    predicted("fog_3", "g", "cropped");
    result = measure();
    EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("`m` is not the same file"),
                                             HasSubstr("preprocessed in 2 ways")));
    EXPECT_THAT(result.notes, ElementsAre());
}

TEST_F(CorruptedAccuracyOf, VersionsOfOtherFilesAreRefused) {
    const std::string fog = R"({"corruption":"fog","severity":1})";
    // The rows are in shards of two or of one, and are compared row by row.
    for (const std::uint32_t rows : {2U, 1U}) {
        clear();
        predicted("val", "f", "p", 1, "", {{10, 1}, {20, 2}});
        predicted("val_fog_1", "f", "p", 1, fog, {{10, 1}, {20, 2}}, rows);
        predicted("fog_2", "f", "p", 1, "", {{11, 3}, {21, 4}});  // with its own files
        EXPECT_EQ(measure().models.at(0).versions.size(), 2U);
        clear();
        predicted("val", "f", "p", 1, "", {{10, 1}, {20, 2}});
        predicted("val_fog_1", "f", "p", 1, fog, {{10, 3}, {20, 2}}, rows);
        EXPECT_THAT(message_of([&] { measure(); }),
                    testing::AllOf(HasSubstr("val_fog_1/m: the corrupted images and those that"),
                                   HasSubstr("val/m saw under the same ids")));
    }
}

TEST_F(CorruptedAccuracyOf, SaysWhereVersionsWereMadeInSeveralWays) {
    const auto made = [&](const std::string& corruption, int severity, int seed) {
        predicted(fmt::format("val_{}_{}", corruption, severity), "f", "p", 1,
                  fmt::format(R"({{"corruption":"{}","severity":{},"seed":{},"frost":"{}"}})",
                              corruption, severity, seed, corruption));
    };
    predicted("val", "f", "p");
    made("fog", 1, 7);
    made("frost", 2, 7);
    predicted("snow_1", "f", "p");  // published images
    EXPECT_THAT(measure().warnings, ElementsAre());
    made("snow", 2, 8);
    EXPECT_THAT(measure().warnings,
                ElementsAre(testing::AllOf(HasSubstr("m: the images were corrupted in 2 ways"),
                                           HasSubstr(R"({"seed":7}, {"seed":8})"))));
}

TEST_F(CorruptedAccuracyOf, OneCleanStoreForEachModel) {
    store("val", "11");
    store("fog_1", "10");
    store("val", "01", {}, "m", false, "more");
    const auto both = [&] {
        measure_corrupted({.paths = {(scratch_ / "runs").string(), (scratch_ / "more").string()},
                           .clean = "val"});
    };
    EXPECT_THAT(message_of(both), HasSubstr("are both predictions of `m` on `val`"));
    // Stores of another model may be anywhere.
    clear();
    store("val", "11");
    store("fog_1", "10");
    store("val", "11", {}, "n", false, "more");
    store("fog_1", "11", {}, "n", false, "more");
    const CorruptedAccuracyResult result = measure_corrupted(
        {.paths = {(scratch_ / "runs").string(), (scratch_ / "more").string()}, .clean = "val"});
    ASSERT_EQ(result.models.size(), 2U);
    EXPECT_DOUBLE_EQ(*result.models[0].versions[0].accuracy.value, .5);
    EXPECT_DOUBLE_EQ(*result.models[1].versions[0].accuracy.value, 1);
}

TEST_F(CorruptedAccuracyOf, StoresThatAreNotUsedNeedNotBeComplete) {
    const std::string many(150, '1');
    store("val", many);
    store("fog_1", many);
    store("other", many, {}, "m", true);  // a store without corruption
    store("fog_1", many, {}, "n", true);  // a model without clean images
    CorruptedAccuracyResult result = measure();
    EXPECT_FALSE(result.partial);
    EXPECT_THAT(result.warnings, ElementsAre());
    store("fog_2", many, {}, "m", true);
    result = measure();
    EXPECT_TRUE(result.partial);
    EXPECT_EQ(result.models.at(0).images, 100U);
    EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("is not complete"),
                                             HasSubstr("100 of the 150 clean images")));
}

TEST_F(CorruptedAccuracyOf, SaysWhatIsMissing) {
    store("val", "11");
    EXPECT_THAT(message_of([&] { measure(); }, ErrorCode::usage),
                HasSubstr("`m` has no predictions on corrupted images"));
    store("fog_1", "11", {"other1", "other2"});
    EXPECT_THAT(message_of([&] { measure(); }), HasSubstr("no labelled image of `m`"));
    EXPECT_THAT(
        message_of(
            [&] { measure_corrupted({.paths = {(scratch_ / "runs").string()}, .clean = "vall"}); },
            ErrorCode::usage),
        HasSubstr("no data set is named `vall`; did you mean `val`?"));
    store("x_fog_1", "11");
    EXPECT_THAT(message_of([&] { measure(); }), HasSubstr("are both fog at severity 1"));
}

TEST(VersionOfADataset, IsInItsFolderOrItsName) {
    const auto text = [](const char* folder, const char* name) {
        const VersionOf v = version_of(folder, name);
        return v.corruption == nullptr
                   ? std::string("none")
                   : std::string(v.corruption->name) + std::to_string(v.severity);
    };
    EXPECT_EQ(text("/data/c/fog/3", "3"), "fog3");
    EXPECT_EQ(text("", "fog_3"), "fog3");
    EXPECT_EQ(text("", "val-gaussian_noise-5"), "gaussian_noise5");
    EXPECT_EQ(text("", "gaussian_blur_1"), "gaussian_blur1");
    EXPECT_EQ(text("", "frost_synthetic_2"), "frost_synthetic2");
    EXPECT_EQ(text("/data/fog/6", "fog_6"), "none");
    EXPECT_EQ(text("", "defrost_3"), "none");
    EXPECT_EQ(text("", "fog"), "none");
    EXPECT_EQ(text("", ""), "none");
}

}  // namespace
}  // namespace assay
