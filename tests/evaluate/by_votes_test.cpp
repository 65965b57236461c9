// ReaL and ASMA by votes, from stores and files of votes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "assay/annotation/draw_gold.h"
#include "assay/error.h"
#include "assay/report.h"
#include "core/random.h"
#include "evaluate/saved_scores.h"
#include "message_of.h"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t classes = 5;

/// A synthetic data set. The classes 0 to g - 1 of an image are valid, and annotators answer about
/// all five classes.
struct VotedWorld {
    std::vector<std::size_t> valid;          ///< number of labels of each image
    std::vector<std::vector<float>> scores;  ///< scores by model
    Scratch scratch;

    explicit VotedWorld(std::size_t images = 300) {
        RandomStream random(1, "images of the test");
        scores.resize(2);
        for (std::size_t i = 0; i < images; ++i) {
            const double u = random.uniform();
            valid.push_back(u < .05 ? 0 : u < .65 ? 1 : u < .85 ? 2 : 3);
            for (auto& model : scores)
                for (std::size_t c = 0; c < classes; ++c)
                    model.push_back(static_cast<float>(random.normal() + (c < valid[i] ? 2.2 : 0)));
        }
        for (std::size_t m = 0; m < 2; ++m) save_model(m, StorageFormat::full_f32);
    }

    void save_model(std::size_t m, StorageFormat storage, const std::string& runs = "runs") const {
        Made made;
        made.classes = classes;
        made.scores = scores[m];
        for (std::size_t i = 0; i < valid.size(); ++i) made.labels.push_back({0});
        save(scratch, made, m == 0 ? "a" : "b", storage, 100, false, runs);
    }

    /// Writes votes with this accuracy, where 1 means no errors. Returns the file.
    std::string votes(double accuracy, std::size_t annotators = 8, std::size_t each = 4,
                      std::size_t skipped = 0, const std::string& cls = "c") const {
        const std::string name = (scratch.path() / "votes.csv").string();
        std::ofstream out(name);
        out << "item,label,annotator,answer\n";
        RandomStream random(2, "votes of the test");
        for (std::size_t i = skipped; i < valid.size(); ++i) {
            for (std::size_t c = 0; c < classes; ++c) {
                for (std::size_t v = 0; v < each; ++v) {
                    const bool yes = (random.uniform() < accuracy) == (c < valid[i]);
                    out << fmt::format("item{:05},{}{},p{},{}\n", i, cls, c,
                                       (i + c + v * 3) % annotators, yes ? "yes" : "no");
                }
            }
        }
        return name;
    }

    std::string sets(std::size_t images, const std::string& header = "path,labels") const {
        const std::string name = (scratch.path() / "sets.csv").string();
        std::ofstream out(name);
        out << header << "\n";
        for (std::size_t i = 0; i < images; ++i) {
            out << fmt::format("item{:05},", i);
            for (std::size_t c = 0; c < valid[i]; ++c) out << (c == 0 ? "" : " ") << "c" << c;
            out << "\n";
        }
        return name;
    }

    ScoreResult score(const std::vector<std::string>& votes,
                      const std::vector<std::string>& experts = {},
                      const std::string& runs = "runs",
                      const std::vector<std::string>& subgroups = {"1-3"}, int threads = 1) const {
        ScoreRunsOptions options;
        options.paths = {scratch.path() / runs};
        options.votes = votes;
        options.expert_labels = experts;
        options.measure.subgroups = subgroups;
        options.measure.metrics = {"real", "asma"};
        options.measure.threads = threads;
        check(options, {});
        return score_runs(options, *self_comm());
    }

    /// ReaL and ASMA of model a, computed from the true sets.
    std::array<double, 2> truth() const {
        ScoreRunsOptions options;
        options.paths = {scratch.path() / "runs"};
        options.measure.labels = {sets(valid.size())};
        options.measure.subgroups = {"1-3"};
        options.measure.metrics = {"real", "asma"};
        const ScoreResult result = score_runs(options, *self_comm());
        return {result.reports[0].measurements[0].value.value(),
                result.reports[0].measurements[1].value.value()};
    }
};

TEST(ByVotes, CertainVotesGiveTheMetricsOfTheTrueSets) {
    const VotedWorld world;
    const ScoreResult result = world.score({world.votes(1)});
    ASSERT_EQ(result.by_votes.size(), 1U);
    const ByVotes& by = result.by_votes[0];
    EXPECT_EQ(by.questions, 300U * classes);
    EXPECT_EQ(by.votes, 300U * classes * 4);
    ASSERT_EQ(by.values.size(), 4U);
    const auto truth = world.truth();
    for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_NEAR(by.values[k].value.value.value(), truth[k], 1e-3);
        EXPECT_NEAR(by.values[k].thresholded.value.value(), truth[k], 1e-12);
        // The votes leave no uncertainty, so the interval equals that of the label sets.
        EXPECT_NEAR(half_width(by.values[k].value), half_width(by.values[k].thresholded), .004);
    }
    EXPECT_LT(by.unsure, 1e-6);
}

// The data set has single labels, so ASMA is not among the metrics of the stored labels.
TEST(ByVotes, SubgroupsApplyToTheVotesAlone) {
    const VotedWorld world;
    ScoreRunsOptions options;
    options.paths = {world.scratch.path() / "runs"};
    options.votes = {world.votes(1)};
    options.measure.subgroups = {"1-3"};
    for (const std::vector<std::string>& metrics : {std::vector<std::string>{}, {"top1"}}) {
        options.measure.metrics = metrics;
        const ScoreResult result = score_runs(options, *self_comm());
        ASSERT_EQ(result.by_votes.size(), 1U);
        EXPECT_NEAR(result.by_votes[0].values.at(1).value.value.value(), world.truth()[1], 1e-3);
    }
    options.votes.clear();
    EXPECT_THROW(score_runs(options, *self_comm()), Error);
}

TEST(ByVotes, FewVotesOfPeopleWhoErrHoldTheTruth) {
    const VotedWorld world;
    const ByVotes by = world.score({world.votes(.8, 8, 3)}).by_votes.at(0);
    const auto truth = world.truth();
    for (std::size_t k = 0; k < 2; ++k) {
        const Measurement& m = by.values[k].value;
        EXPECT_LT(m.interval.value().low, truth[k]);
        EXPECT_GT(m.interval.value().high, truth[k]);
        // Label sets from the same votes and a threshold give wrong values, and their
        // intervals miss the truth.
        EXPECT_LT(by.values[k].thresholded.interval.value().high, truth[k]);
    }
    EXPECT_NEAR(by.sensitivity, .8, .05);
    EXPECT_NEAR(by.specificity, .8, .05);
}

TEST(ByVotes, ExpertsCorrectThemAndStandInTheReport) {
    const VotedWorld world;
    const ScoreResult result = world.score({world.votes(.8, 8, 3)}, {world.sets(100)});
    const ByVotes& by = result.by_votes.at(0);
    EXPECT_EQ(by.experts, 100U);  // images without a valid label count, too
    EXPECT_EQ(by.values[0].value.interval.value().method, "votes.experts");
    EXPECT_THAT(by.notes.back(), HasSubstr("experts gave 100 images"));
    const auto truth = world.truth();
    EXPECT_LT(by.values[0].value.interval.value().low, truth[0]);
    EXPECT_GT(by.values[0].value.interval.value().high, truth[0]);
    const Report report = report_of(result, {});
    EXPECT_EQ(report.result.at("by_votes").at(0).at("gold"), 100);
    EXPECT_EQ(report.result.at("by_votes").at(0).at("values").at(1).at("metric"), "asma.votes");
}

/// Experts find no third label, so by their sets no image has three labels, although 45 have by the
/// votes.
TEST(ByVotes, ASubgroupThatExpertsLeaveEmptyIsUndefined) {
    VotedWorld world;
    const std::string votes = world.votes(.9);
    for (std::size_t& labels : world.valid) labels = std::min<std::size_t>(labels, 2);
    const ByVotes by = world.score({votes}, {world.sets(300)}, "runs", {"1-3"}).by_votes.at(0);
    EXPECT_FALSE(by.values[1].value.value);
    EXPECT_THAT(by.values[1].value.undefined, HasSubstr("--subgroups 1,2"));
    const ByVotes two = world.score({votes}, {world.sets(300)}, "runs", {"1,2"}).by_votes.at(0);
    ASSERT_TRUE(two.values[1].value.value);
    EXPECT_LE(*two.values[1].value.value, 1);
    // 5 % of the images have no label
    EXPECT_NEAR(static_cast<double>(two.values[1].value.n), 285, 25);
}

TEST(ByVotes, SameBitsForAnyNumberOfThreads) {
    const VotedWorld world;
    const std::string votes = world.votes(.8, 8, 3);
    const auto one = world.score({votes}).by_votes.at(0),
               three = world.score({votes}, {}, "runs", {"1-3"}, 3).by_votes.at(0);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(one.values[i].value.value, three.values[i].value.value);
        EXPECT_EQ(one.values[i].value.interval, three.values[i].value.interval);
    }
}

TEST(ByVotes, ImagesNobodyWasAskedAboutKeepTheirLabels) {
    const VotedWorld world;
    const ByVotes by = world.score({world.votes(.9, 8, 4, 100)}).by_votes.at(0);
    EXPECT_EQ(by.asked, 200U);
    EXPECT_EQ(by.given, 100U);
    EXPECT_EQ(by.images, 300U);
    EXPECT_THAT(by.notes, ::testing::Contains(HasSubstr("nobody was asked about 100 images")));
}

TEST(ByVotes, RareSubgroupsAreUndefined) {
    const VotedWorld world;
    const ByVotes by = world.score({world.votes(.9)}, {}, "runs", {"1-5"}).by_votes.at(0);
    EXPECT_FALSE(by.values[1].value.value);
    EXPECT_THAT(by.values[1].value.undefined, HasSubstr("--subgroups 1,2,3"));
    EXPECT_TRUE(by.values[0].value.value);
}

TEST(ByVotes, RefusesVotesThatSayTooLittle) {
    const VotedWorld world(60);
    EXPECT_THAT(message_of([&] { world.score({world.votes(.9, 1, 1)}); }),
                HasSubstr("votes of 1 annotator; at least 2"));
    EXPECT_THAT(message_of([&] { world.score({world.votes(.9, 8, 1)}); }),
                HasSubstr("has 1.00 votes per question; at least 2"));
    EXPECT_THAT(message_of([&] { world.score({world.votes(.9, 8, 3, 0, "dog")}); }),
                HasSubstr("no vote is about a class"));
    EXPECT_THAT(message_of([&] { world.score({world.sets(60)}); }),
                HasSubstr("sets do not say how sure they are"));
}

TEST(ByVotes, RefusesExpertsWhoCannotBeUsed) {
    const VotedWorld world(60);
    const std::string votes = world.votes(.9);
    EXPECT_THAT(message_of([&] { world.score({votes}, {world.sets(1)}); }),
                HasSubstr("gives the sets of 1 images; at least 2"));
    const std::string other = (world.scratch.path() / "other.csv").string();
    std::ofstream(other) << "path,labels\nitem00000,c0\nitem00001,c0\nelsewhere,c1\n";
    EXPECT_THAT(message_of([&] { world.score({votes}, {other}); }),
                HasSubstr("1 images that are not in val (first: `elsewhere`)"));
    std::ofstream(other) << "path,labels\nitem00000,c0\nitem00001,zebra\n";
    EXPECT_THAT(message_of([&] { world.score({votes}, {other}); }), HasSubstr("zebra"));
    EXPECT_THAT(message_of([&] { world.score({}, {other}); }, ErrorCode::usage),
                HasSubstr("add --votes FILE"));
}

TEST(ByVotes, RefusesOptionsThatCannotAct) {
    const VotedWorld world(60);
    const std::string votes = world.votes(.9);
    EXPECT_THAT(message_of([&] { world.score({"other=" + votes}); }, ErrorCode::usage),
                HasSubstr("--votes for `other`, which is no data set here"));
    EXPECT_THAT(message_of(
                    [&] {
                        world.score({votes}, {}, "runs", {"1-3", "present"});
                    },
                    ErrorCode::usage),
                HasSubstr("votes leave open which of them occur"));
    world.save_model(0, StorageFormat::top_k, "short");
    EXPECT_THAT(message_of([&] { world.score({votes}, {}, "short"); }),
                HasSubstr("keeps the 2 best classes"));
    EXPECT_TRUE(world.score({"val=" + votes}).by_votes.at(0).values[0].value.value);
}

TEST(DrawGold, DrawsAllImagesAlikeAndAsksAboutAllBestClasses) {
    const VotedWorld world;
    DrawGoldOptions options;
    options.stores = {(world.scratch.path() / "runs").string()};
    options.images = 30;
    options.depth = 2;
    const GoldDraw draw = draw_gold(options);
    EXPECT_EQ(draw.drawn, 30U);
    EXPECT_DOUBLE_EQ(draw.probability, .1);
    std::map<std::uint64_t, std::set<std::int32_t>> asked;
    for (const Question& q : draw.questions) asked[q.item].insert(q.cls);
    EXPECT_EQ(asked.size(), 30U);
    for (const auto& [item, judged] : asked) {
        EXPECT_TRUE(judged.contains(0));  // the original label is used
        for (const auto& model : world.scores) {
            const auto* const row = model.data() + item * classes;
            const auto best = std::max_element(row, row + classes) - row;
            EXPECT_TRUE(judged.contains(static_cast<std::int32_t>(best)));
        }
    }
    EXPECT_THAT(gold_csv(draw), HasSubstr("item,path,label,class,proposed_by,prior,probability\n"));
    EXPECT_THAT(gold_csv(draw), HasSubstr(",0.1\n"));
    options.seed = 2;
    EXPECT_NE(gold_csv(draw_gold(options)), gold_csv(draw));
    options.images = 301;
    EXPECT_THAT(message_of([&] { draw_gold(options); }, ErrorCode::usage),
                HasSubstr("--draw-gold 300"));
}

}  // namespace
}  // namespace assay
