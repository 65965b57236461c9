// Searches for the smallest change over a data set: radii, curves, medians, pairs and resuming. The
// model is a linear classifier of coloured images with known radii.
#include "evaluate/smallest_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "containers/npy.h"
#include "core/file.h"
#include "core/random.h"
#include "core/statistics.h"
#include "evaluate/smallest_report.h"
#include "message_of.h"
#include "red_classifier.h"
#include "robustness/change.h"
#include "store/outcomes.h"

namespace assay {
namespace {

using testing::HasSubstr;
using SmallestRun = RedImages;

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Every image of red r above 128.5 reaches the boundary with a change of r - 128.5 in linf.
double radius_of(std::size_t red) {
    return (static_cast<double>(red) - 128.5) / 255;
}

TEST_F(SmallestRun, RadiiAreThoseOfTheClosedForm) {
    const Dataset dataset = images(200);
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    AttackRunOptions options = attack_options("runs");
    options.attacks = {"fmn"};
    const AttackedResult result = attack_models({&model, 1}, dataset, options).at(0);
    ASSERT_EQ(result.smallest.size(), 1U);
    const SmallestChanges& found = result.smallest[0];
    EXPECT_EQ(found.correct, correct);
    EXPECT_EQ(found.not_fooled, 0U);
    EXPECT_EQ(found.store.filename(), "m@fmn-linf");
    for (std::size_t i = 0; i < 200; ++i) {
        if (i < 129) {
            EXPECT_EQ(found.radii[i], 0) << i;
        } else {
            EXPECT_NEAR(found.radii[i], radius_of(i), .01 * radius_of(i) + 1e-6) << i;
        }
    }
    // 129 to 199: the middle is 164, and the ranks 27 and 45 of 71 are 155 and 173.
    EXPECT_NEAR(*found.median.value, radius_of(164), 1e-3);
    EXPECT_NEAR(found.median.interval->low, radius_of(155), 1e-3);
    EXPECT_NEAR(found.median.interval->high, radius_of(173), 1e-3);
    // The curve: no noise, and at each budget what the closed form leaves.
    const auto budgets = usual_budgets(Norm::linf);
    ASSERT_EQ(result.cells.size(), budgets.size());
    for (std::size_t b = 0; b < budgets.size(); ++b) {
        const AttackCell& cell = result.cells[b];
        std::uint64_t left = 0;
        for (std::size_t i = 129; i < 200; ++i) left += radius_of(i) >= budgets[b] - 1e-9 ? 1 : 0;
        EXPECT_EQ(cell.robust, left) << budgets[b];
        EXPECT_NEAR(*cell.accuracy.value, static_cast<double>(left) / 200, 1e-12);
        EXPECT_NEAR(*cell.ratio.value, static_cast<double>(left) / 71, 1e-12);
    }
    const std::string table = read_text(found.table, 1 << 20);
    EXPECT_THAT(table, HasSubstr("image,outcome,radius\n"));
    EXPECT_EQ(std::ranges::count(table, '\n'), 201);
    EXPECT_THAT(table, HasSubstr(",misclassified before,0"));
}

TEST_F(SmallestRun, EveryNormHasItsOwnSize) {
    const Dataset dataset = images(150);
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    AttackRunOptions options = attack_options("runs");
    const auto median = [&](const char* attack, Norm norm) {
        options.attacks = {attack};
        options.norm = norm;
        return *attack_models({&model, 1}, dataset, options).at(0).smallest.at(0).median.value;
    };
    // 21 images, 129 to 149; the middle one has to lose 10.5 levels in the mean of four elements.
    const double mean = 10.5 / 255;
    EXPECT_NEAR(median("fmn", Norm::linf), mean, .01 * mean);
    EXPECT_NEAR(median("fmn", Norm::l2), 2 * mean, .02 * mean);
    EXPECT_NEAR(median("ddn", Norm::l2), 2 * mean, .02 * mean);
    EXPECT_NEAR(median("fmn", Norm::l1), 4 * mean, .04 * mean);
    EXPECT_EQ(median("fmn", Norm::l0), 1);
}

TEST_F(SmallestRun, ThreadsAndResumingChangeNoBit) {
    const Dataset dataset = images(150);
    std::vector<std::vector<double>> seen;
    for (const int threads : {1, 3}) {
        const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
        AttackRunOptions options = attack_options("runs" + std::to_string(threads));
        options.predict.threads = threads;
        options.predict.shard_rows = 0;
        options.attacks = {"fmn"};
        options.steps = 20;
        options.norm = Norm::l2;
        const auto result = attack_models({&model, 1}, dataset, options);
        const SmallestChanges& found = result[0].smallest[0];
        EXPECT_EQ(found.store.filename(), "m@fmn-l2-20steps");
        seen.push_back(found.radii);
        const auto shards = found.store / "shards";
        fs::remove(shards / "000033.json");
        fs::remove(shards / "000033.npy");
        seen.push_back(attack_models({&model, 1}, dataset, options)[0].smallest[0].radii);
    }
    for (const auto& radii : seen) EXPECT_EQ(radii, seen[0]);
}

TEST_F(SmallestRun, AStoreOfHalvesAgreesWithTheRadii) {
    const Dataset dataset = images(200);
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    AttackRunOptions options = attack_options("runs");
    options.attacks = {"fmn"};
    options.predict.storage.storage = StorageFormat::full_f16;
    const AttackedResult result = attack_models({&model, 1}, dataset, options).at(0);
    const SmallestChanges& found = result.smallest.at(0);
    EXPECT_EQ(found.correct, correct);
    EXPECT_EQ(found.not_fooled, 0U);
    EXPECT_EQ(found.unknown, 0U);
    // The other score is 1290/256 as a half. That of class 0 falls below it if it rounds to
    // 1289/256: below red 1289.5/2560.
    const double boundary = 1289.5 / 2560;
    for (std::size_t i = 129; i < 200; ++i) {
        const double exact = static_cast<double>(i) / 255 - boundary;
        EXPECT_GE(found.radii[i], exact - 1e-6) << i;
        EXPECT_LE(found.radii[i], 1.01 * radius_of(i) + 3 * (exact - radius_of(i))) << i;
    }
    const auto stored = attacked_outcomes_of(PredictionStore::open(found.store));
    EXPECT_EQ(count_of(stored, RowOutcome::correct), 0U);
}

TEST(SmallestChanges, AMeasuredChangeCountsEvenIfItsRoundedScoresAreEqual) {
    attack::AttackCounts counts;
    counts.rows = 3;
    counts.radii = {.25, std::nan(""), std::nan("")};
    const std::vector<RowOutcome> clean(3, RowOutcome::correct);
    const std::vector<RowOutcome> attacked = {RowOutcome::correct, RowOutcome::correct,
                                              RowOutcome::incorrect};
    const SmallestChanges found = attack::smallest_changes("fmn", {counts}, clean, attacked, .95);
    EXPECT_EQ(found.radii[0], .25);
    EXPECT_EQ(found.radii[1], infinite);
    EXPECT_EQ(found.not_fooled, 1U);
    EXPECT_EQ(found.unknown, 1U);
}

TEST_F(SmallestRun, SavedImagesHaveTheirRadii) {
    const Dataset dataset = images(140);
    const auto pixels_of = [](const fs::path& path) {
        const Image image = load_image(path);
        std::vector<float> all;
        for (std::size_t k = 0; k < 16; ++k) {
            if (k % 4 < 3) all.push_back(static_cast<float>(image.pixels[k]) / 255.0F);
        }
        return all;
    };
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    for (const ImageForm form : {ImageForm::npy, ImageForm::png}) {
        const std::string name(name_of(form));
        for (const Norm norm : {Norm::linf, Norm::l0}) {
            const std::string norm_name(name_of(norm));
            SCOPED_TRACE(name + " " + norm_name);
            AttackRunOptions options = attack_options(name + "-runs");
            options.images = scratch_ / (name + norm_name);
            options.image_form = form;
            options.attacks = {"fmn"};
            options.norm = norm;
            const auto results = attack_models({&model, 1}, dataset, options);
            const SmallestChanges& found = results[0].smallest.at(0);
            ASSERT_TRUE(found.saved);
            EXPECT_EQ(found.saved->images, 140U);
            EXPECT_EQ(found.saved->folder.filename(), "fmn-" + norm_name);
            // In whole levels, a mean red just below 128.5 becomes 128 or less.
            EXPECT_EQ(found.saved->robust, 0U);
            EXPECT_EQ(found.saved->lost, 0U);
            for (std::size_t i = 0; i < 140; ++i) {
                char file[16];
                std::snprintf(file, sizeof file, "%03zu.%s", i, name.c_str());
                const fs::path path = found.saved->folder / file;
                std::vector<float> values(12);
                if (form == ImageForm::npy) {
                    const auto bytes = read_file(path);
                    parse_npy(bytes).values.floats(0, values);
                } else {
                    values = pixels_of(path);
                }
                const double size =
                    attack::size_of_change(norm, pixels_of(dataset.path_of(i)), values);
                if (form == ImageForm::npy) {
                    EXPECT_NEAR(size, found.radii[i], 1e-12) << i;
                } else if (norm == Norm::linf) {
                    EXPECT_NEAR(size, found.radii[i], .51 / 255) << i;
                }
            }
        }
    }
}

TEST_F(SmallestRun, BesideOtherAttacksItHasTheirBudgets) {
    const Dataset dataset = images(200);
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    AttackRunOptions options = attack_options("runs");
    options.attacks = {"fmn", "pgd"};
    options.eps = {4. / 255, 8. / 255};
    const AttackedResult result = attack_models({&model, 1}, dataset, options).at(0);
    std::vector<std::string> names;
    for (const AttackCell& cell : result.cells)
        names.push_back(cell.attack + " " + eps_text(cell.eps));
    EXPECT_THAT(names, testing::ElementsAre("noise 4/255", "pgd 4/255", "fmn 4/255", "noise 8/255",
                                            "pgd 8/255", "fmn 8/255"));
    EXPECT_EQ(result.cells[2].robust, result.cells[1].robust);
    EXPECT_EQ(result.cells[5].robust, result.cells[4].robust);
    const Report report = report_of({&result, 1}, options);
    EXPECT_EQ(report.result["models"][0]["smallest"][0]["correct"], correct);
    EXPECT_FALSE(report.result.contains("pairs"));
}

TEST_F(SmallestRun, ALostRecordIsSaidAndDoesNotCount) {
    const Dataset dataset = images(140);
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    AttackRunOptions options = attack_options("runs");
    options.attacks = {"fmn"};
    const auto whole = attack_models({&model, 1}, dataset, options);
    EXPECT_EQ(whole[0].smallest[0].correct, 11U);
    fs::remove(whole[0].smallest[0].store / "counts/000000000132.json");
    const auto lost = attack_models({&model, 1}, dataset, options);
    EXPECT_EQ(lost[0].smallest[0].correct, 7U);
    EXPECT_EQ(lost[0].smallest[0].unknown, 4U);
    EXPECT_EQ(lost[0].cells[0].accuracy.n, 136U);
    const Report report = report_of(lost, options);
    EXPECT_TRUE(report.partial);
    EXPECT_THAT(report.warnings,
                testing::Contains(HasSubstr("the record of the change is lost for 4 images")));
}

TEST_F(SmallestRun, AMaskedModelIsDoubtful) {
    const Dataset dataset = images(200);
    const auto classifier = std::make_shared<RedClassifier>();
    classifier->masked = true;
    const LoadedModel model = red_model("m", classifier);
    AttackRunOptions options = attack_options("runs");
    options.attacks = {"fmn"};
    options.control = true;
    const AttackedResult result = attack_models({&model, 1}, dataset, options).at(0);
    EXPECT_EQ(result.smallest[0].not_fooled, correct);
    EXPECT_FALSE(result.smallest[0].median.value);
    EXPECT_EQ(result.control.verdict, AttackVerdict::doubtful);
    EXPECT_THAT(reason_of(result.control),
                HasSubstr("at 32/255 the model is fooled on none of 71"));
    const auto scored = classifier->scored.load();
    EXPECT_EQ(attack_models({&model, 1}, dataset, options).at(0).control.verdict,
              AttackVerdict::doubtful);
    // The gradient is tried on one image. Search and verdict come from the store.
    EXPECT_EQ(classifier->scored, scored + 1);
}

TEST_F(SmallestRun, WithoutAMedianNormsOfElementsAreJudgedAtTheWholeImage) {
    const Dataset dataset = images(150);
    const auto classifier = std::make_shared<RedClassifier>();
    classifier->masked = true;
    const LoadedModel model = red_model("m", classifier);
    AttackRunOptions options = attack_options("runs");
    options.attacks = {"fmn"};
    options.control = true;
    for (const Norm norm : {Norm::l1, Norm::l0}) {
        options.norm = norm;
        const AttackedResult result = attack_models({&model, 1}, dataset, options).at(0);
        EXPECT_EQ(result.control.verdict, AttackVerdict::doubtful);
        EXPECT_THAT(reason_of(result.control),
                    HasSubstr("at 12 the model is fooled on none of 21"));
    }
}

TEST_F(SmallestRun, NoSignOnASoundModelInEveryNorm) {
    const Dataset dataset = images(150);
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    AttackRunOptions options = attack_options("runs");
    options.attacks = {"fmn"};
    options.control = true;
    for (const Norm norm : {Norm::linf, Norm::l2, Norm::l1, Norm::l0}) {
        options.norm = norm;
        const AttackedResult result = attack_models({&model, 1}, dataset, options).at(0);
        EXPECT_EQ(result.control.verdict, AttackVerdict::no_sign)
            << name_of(norm) << ": " << reason_of(result.control);
        // The median radius is the budget of the controls.
        if (norm == Norm::linf) {
            EXPECT_NEAR(result.control.eps, radius_of(139), .01 * radius_of(139));
        }
    }
}

TEST_F(SmallestRun, RefusalsNameWhatIsAllowed) {
    const Dataset dataset = images(140);
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    AttackRunOptions options = attack_options("runs");
    const auto said = [&](std::vector<std::string> attacks, Norm norm, std::vector<double> eps) {
        options.attacks = std::move(attacks);
        options.norm = norm;
        options.eps = std::move(eps);
        return message_of([&] { attack_models({&model, 1}, dataset, options); }, ErrorCode::usage);
    };
    EXPECT_THAT(said({"ddn"}, Norm::linf, {}),
                HasSubstr("ddn is defined for the norm l2 only: pass --norm l2"));
    EXPECT_THAT(said({"pgd"}, Norm::l1, {}),
                HasSubstr("pgd is defined for the norms linf and l2 only"));
    EXPECT_THAT(said({"fmn"}, Norm::l0, {2.5}), HasSubstr("write --eps 3"));
    EXPECT_THAT(said({"fmn"}, Norm::l0, {13}),
                HasSubstr("is not between 0 and 12, the l0 distance"));
}

TEST_F(SmallestRun, TwoModelsAreComparedImageByImage) {
    const Dataset dataset = images(200);
    // The boundary of the second one is at red 138.5, so that its radii are smaller by 10.
    class Shifted : public RedClassifier {
    public:
        void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
            RedClassifier::scores(input, n, out);
            for (std::size_t i = 0; i < n; ++i) out[2 * i] -= static_cast<float>(100. / 255);
        }
    };
    const std::vector<LoadedModel> models = {red_model("a", std::make_shared<RedClassifier>()),
                                             red_model("b", std::make_shared<Shifted>())};
    AttackRunOptions options = attack_options("runs");
    options.attacks = {"fmn"};
    const auto results = attack_models(models, dataset, options);
    const auto pairs = compare_smallest(results);
    ASSERT_EQ(pairs.size(), 1U);
    EXPECT_EQ(pairs[0].images, 61U);  // 139 to 199
    EXPECT_EQ(pairs[0].first_larger, 61U);
    EXPECT_EQ(pairs[0].second_larger, 0U);
    EXPECT_NEAR(*pairs[0].difference.value, 10. / 255, 1e-3);
    EXPECT_NEAR(pairs[0].p, std::pow(.5, 60), 1e-25);
    const Report report = report_of(results, options);
    EXPECT_EQ(report.result["pairs"][0]["first_larger"], 61);
}

TEST(TablesOfSmallest, RowsAndNotesNameTheDataSetAndTheUnitOfASize) {
    std::vector<AttackedResult> results;
    for (const char* dataset : {"one", "two"}) {
        for (const char* model : {"a", "b"}) {
            AttackedResult& result = results.emplace_back();
            result.model = model;
            result.dataset = dataset;
            SmallestChanges& search = result.smallest.emplace_back();
            search.attack = "fmn";
            search.radii = {.1, .2, .3, .4, .5, .6, .7, .8, infinite, infinite};
            if (model == std::string("b")) search.radii.assign(10, .05);
            // The first has one end, the second none, for it has too few images.
            std::vector<double> values = search.radii;
            if (dataset == std::string("two")) values.resize(3);
            search.median = attack::median_with_ranks(std::move(values), .95, "");
        }
    }
    const auto text_of = [](const Table& table) {
        Report report;
        report.sections.push_back({});
        report.sections[0].blocks.emplace_back(table);
        return render(report, ReportFormat::text);
    };
    const Table smallest = attack::table_of_smallest(results, Norm::linf);
    EXPECT_THAT(smallest.notes,
                testing::Contains("a on one, fmn: the interval is above 0.2, without another end, "
                                  "because images are not fooled (as a proportion)."));
    EXPECT_THAT(smallest.notes,
                testing::Contains("a on two, fmn: 3 images are too few for an interval of 95 %."));
    EXPECT_THAT(attack::table_of_smallest(results, Norm::l2).notes,
                testing::Contains("a on one, fmn: the interval is above 0.2, without another end, "
                                  "because images are not fooled."));
    const Table pairs = attack::table_of_pairs(compare_smallest(results), Norm::linf);
    EXPECT_THAT(pairs.notes,
                testing::Contains("a and b on two, fmn: the interval is above 0.15, without "
                                  "another end, because images are not fooled (as a proportion)."));
    ASSERT_EQ(pairs.rows.size(), 2U);
    EXPECT_THAT(text_of(pairs), testing::ContainsRegex("a +b +one +fmn"));
    EXPECT_THAT(text_of(pairs), testing::ContainsRegex("a +b +two +fmn"));
}

TEST(MedianWithRanks, IntervalsOfOrderStatistics) {
    const auto of = [](std::vector<double> values) {
        return attack::median_with_ranks(std::move(values), .95, "half are infinite");
    };
    // The textbook's ranks: 2 and 9 of 10, 6 and 15 of 20, 40 and 61 of 100.
    std::vector<double> values;
    for (int i = 1; i <= 100; ++i) {
        values.push_back(i);
        const Estimate e = of(values);
        if (i < 6) {
            EXPECT_FALSE(e.interval) << i;
            EXPECT_THAT(e.note, HasSubstr("too few"));
        }
        if (i == 6) {
            EXPECT_EQ(e.interval->low, 1);
            EXPECT_EQ(e.interval->high, 6);
        }
        if (i == 10) {
            EXPECT_EQ(*e.value, 5.5);
            EXPECT_EQ(e.interval->low, 2);
            EXPECT_EQ(e.interval->high, 9);
        }
        if (i == 20) {
            EXPECT_EQ(e.interval->low, 6);
            EXPECT_EQ(e.interval->high, 15);
        }
        if (i == 100) {
            EXPECT_EQ(e.interval->low, 40);
            EXPECT_EQ(e.interval->high, 61);
        }
    }
    EXPECT_EQ(*of({3, 1, infinite}).value, 3);
    EXPECT_EQ(of({1, infinite}).undefined, "half are infinite");
    const Estimate open = of({1, 2, 3, 4, 5, infinite, infinite, infinite, infinite});
    EXPECT_EQ(*open.value, 5);
    EXPECT_FALSE(open.interval);
    EXPECT_THAT(open.note, HasSubstr("the interval is above 2"));
}

TEST(MedianWithRanks, TheIntervalCoversTheTruth) {
    // 41 draws of an exponential distribution: the exact coverage of the ranks 14 and 28 is 97.25
    // %.
    int held = 0;
    for (std::uint64_t world = 0; world < 4000; ++world) {
        RandomStream random(7, "median", world);
        std::vector<double> values;
        for (int i = 0; i < 41; ++i) values.push_back(-std::log(1 - random.uniform()));
        const Estimate e = attack::median_with_ranks(std::move(values), .95, "");
        held += e.interval->low <= std::log(2.0) && std::log(2.0) <= e.interval->high ? 1 : 0;
    }
    EXPECT_NEAR(held / 4000., .9725, .0085);
}

}  // namespace
}  // namespace assay
