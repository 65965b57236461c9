// Studies with answers of a competition, and classifiers that join later.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "assay/error.h"
#include "message_of.h"
#include "study_pool.h"

namespace assay::few_labels {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

/// Answers about each class of every `step`-th image; every second other image has an answer
/// about its true class alone.
std::vector<KnownAnswer> known_of(std::size_t step) {
    std::vector<KnownAnswer> out;
    for (std::size_t i = 0; i < images; ++i) {
        const std::string item = fmt::format("item{:05}", i);
        for (int c = 0; c < 5; ++c) {
            const bool is = truth_of(item) == c;
            if (i % step == 0 || (i % 2 == 1 && is))
                out.push_back(
                    {item, fmt::format("c{}", c), is ? KnownOutcome::yes : KnownOutcome::no});
        }
    }
    return out;
}

TEST(FewLabelsStudy, KnownAnswersCountWithoutBeingDrawn) {
    const Scratch folder;
    save_pool(folder);
    const fs::path study = folder / "study";
    DrawOptions draw = options_of(folder, 120);
    draw.known = known_of(6);
    draw.known_source = "mad";
    const DrawnSample drawn = draw_sample(study, draw);
    EXPECT_GE(drawn.settled, images / 6);
    std::uint64_t strata = 0;
    for (const DrawnStratum& one : drawn.strata) strata += one.images;
    EXPECT_EQ(strata + drawn.settled, images);
    // Questions with known answers are not asked again.
    EXPECT_GT(drawn.spared, 0U);
    const std::string questions = read_text(questions_file(study, 1));
    CsvReader csv(questions, "questions");
    std::set<std::pair<std::string, std::string>> known;
    for (const KnownAnswer& one : draw.known) known.emplace(one.image, one.label);
    std::uint64_t asked = 0;
    for (; csv.next(); ++asked)
        EXPECT_FALSE(known.contains(
            {std::string(csv[csv.column({"item"})]), std::string(csv[csv.column({"label"})])}));
    EXPECT_EQ(asked, drawn.questions);
    // The table has the settled images with weight 1 and no stratum.
    const std::string text = read_text(sample_file(study));
    CsvReader sample(text, "sample.csv");
    double weights = 0;
    std::uint64_t settled = 0;
    while (sample.next()) {
        weights += std::stod(std::string(sample[sample.column({"weight"})]));
        settled += sample[sample.column({"stratum"})] == "0" ? 1 : 0;
    }
    EXPECT_EQ(settled, drawn.settled);
    EXPECT_NEAR(weights, images, 1e-6);
    // Votes about the drawn images complete them.
    {
        std::ofstream votes(folder / "votes.csv");
        votes << "item,label,annotator,answer\n";
        CsvReader again(questions, "questions");
        while (again.next()) {
            const std::string item(again[again.column({"item"})]),
                label(again[again.column({"label"})]);
            votes << fmt::format("{},{},p,{}\n", item, label,
                                 label == fmt::format("c{}", truth_of(item)) ? "yes" : "no");
        }
    }
    EstimateOptions options;
    options.answers = {folder / "votes.csv"};
    options.by = "group";
    const PoolEstimate found = estimate_pool(study, options);
    EXPECT_EQ(found.labels, 120U);
    EXPECT_EQ(found.settled, drawn.settled);
    EXPECT_EQ(found.images, images);
    for (const EstimatedClassifier& one : found.classifiers) {
        const double truth = true_accuracy(folder, one.classifier.c_str());
        EXPECT_EQ(one.labels, 120 + drawn.settled);
        EXPECT_LT(one.accuracy.interval->low, truth);
        EXPECT_GT(one.accuracy.interval->high, truth);
    }
    // All images that are not settled are drawn, so the estimates are the truth.
    DrawOptions rest;
    rest.draw = images - drawn.settled;
    draw_sample(study, rest);
    write_labels(folder / "labels.csv", drawn_items(study));
    options.answers.clear();
    options.labels = {folder / "labels.csv"};
    const PoolEstimate all = estimate_pool(study, options);
    for (const EstimatedClassifier& one : all.classifiers) {
        EXPECT_NEAR(*one.accuracy.value, true_accuracy(folder, one.classifier.c_str()), 1e-12);
        EXPECT_NEAR(half_width(one.accuracy), 0, 1e-12);
    }
    EXPECT_NEAR(*all.pairs[1].difference.value,
                true_accuracy(folder, "a") - true_accuracy(folder, "c"), 1e-12);
    std::uint64_t in_groups = 0;
    for (std::size_t g = 0; g < 2; ++g) in_groups += all.groups[3 * g].images;
    EXPECT_EQ(in_groups, images);
    // The record prevents a change of the answers.
    write_file_atomically(study / "settled.csv", "item,label,answer\n");
    EXPECT_THAT(message_of([&] { estimate_pool(study, options); }), HasSubstr("settled.csv"));
}

TEST(FewLabelsStudy, KnownAnswersThatCannotBeUsedAreRefused) {
    const Scratch folder;
    save_pool(folder);
    DrawOptions draw = options_of(folder, 60);
    draw.known_source = "mad";
    const auto refused = [&] { return message_of([&] { draw_sample(folder / "s", draw); }); };
    EXPECT_THAT(refused(), HasSubstr("assay mad status mad"));
    draw.known = {{"other.png", "c0", KnownOutcome::yes}};
    EXPECT_THAT(refused(), HasSubstr("(first: `other.png`) is in `val`"));
    draw.known = {{"item00000", "zebra", KnownOutcome::yes}};
    EXPECT_THAT(refused(), HasSubstr("its label `zebra` is no class of `val`"));
    draw.known = known_of(1);
    EXPECT_THAT(refused(), HasSubstr("settle all but 0 of the 900 images"));
    draw.known = known_of(2);
    draw.draw = 500;
    EXPECT_THAT(message_of([&] { draw_sample(folder / "s", draw); }, ErrorCode::usage),
                HasSubstr("images with scores that are not settled"));
    EXPECT_FALSE(fs::exists(folder / "s"));
    draw.draw = 60;
    // Nobody could give this answer, so its images are settled and not judged.
    for (KnownAnswer& one : draw.known)
        if (one.image == "item00000") one.outcome = KnownOutcome::unclear;
    const DrawnSample drawn = draw_sample(folder / "s", draw);
    write_labels(folder / "labels.csv", {drawn_items(folder / "s").back()});
    EstimateOptions options;
    options.labels = {folder / "labels.csv"};
    EXPECT_EQ(estimate_pool(folder / "s", options).settled + 1, drawn.settled);
    // The same answers may be named again. Other answers may not.
    draw.draw = 80;
    EXPECT_EQ(draw_sample(folder / "s", draw).added, 20U);
    draw.known.pop_back();
    EXPECT_THAT(message_of([&] { draw_sample(folder / "s", draw); }, ErrorCode::usage),
                HasSubstr("--competition mad: `"));
}

/// Appends a truthful vote for each question of a file.
void answer_questions(const fs::path& questions, const fs::path& votes) {
    const bool is_new = !fs::exists(votes);
    std::ofstream out(votes, std::ios::app);
    if (is_new) out << "item,label,annotator,answer\n";
    const std::string text = read_text(questions);
    CsvReader csv(text, "questions");
    while (csv.next()) {
        const std::string item(csv[csv.column({"item"})]), label(csv[csv.column({"label"})]);
        out << fmt::format("{},{},p,{}\n", item, label,
                           label == fmt::format("c{}", truth_of(item)) ? "yes" : "no");
    }
}

TEST(FewLabelsStudy, ClassifiersJoinLater) {
    const Scratch folder;
    save_pool(folder);
    const fs::path study = folder / "study", votes = folder / "votes.csv";
    DrawOptions draw = options_of(folder, 120);
    draw.stores = {folder / "runs/val/a", folder / "runs/val/b"};
    // Every sixth image is settled for any classifier, and others for some classifiers.
    draw.known = known_of(6);
    draw.known_source = "mad";
    draw_sample(study, draw);
    answer_questions(questions_file(study, 1), votes);
    EstimateOptions options;
    options.answers = {votes};
    options.by = "group";
    const PoolEstimate before = estimate_pool(study, options);
    const std::string sample = read_text(sample_file(study));
    JoinOptions join;
    join.stores = {folder / "runs/val/a", folder / "runs/val/c"};
    const DrawnSample joined = join_study(study, join);
    EXPECT_EQ(joined.added, 0U);
    EXPECT_THAT(joined.classifiers, testing::ElementsAre("a", "b", "c"));
    EXPECT_GT(joined.questions, 0U);
    EXPECT_LT(joined.questions, 120 + joined.settled);
    const std::string questions = read_text(joined.questions_file);
    EXPECT_EQ(join_study(study, join).questions, joined.questions);
    EXPECT_EQ(read_text(joined.questions_file), questions);
    EXPECT_EQ(read_text(sample_file(study)), sample);
    const auto same = [&](const PoolEstimate& now) {
        for (std::size_t m = 0; m < 2; ++m) {
            EXPECT_EQ(now.classifiers[m].accuracy.value, before.classifiers[m].accuracy.value);
            EXPECT_EQ(now.classifiers[m].accuracy.interval,
                      before.classifiers[m].accuracy.interval);
        }
        EXPECT_EQ(now.pairs[0].difference.interval, before.pairs[0].difference.interval);
    };
    // Without answers about c, the other classifiers do not change.
    const PoolEstimate waiting = estimate_pool(study, options);
    same(waiting);
    EXPECT_EQ(waiting.labels, 120U);
    EXPECT_EQ(waiting.classifiers.size(), 2U);
    EXPECT_EQ(waiting.pairs.size(), 1U);
    EXPECT_THAT(waiting.notes, testing::Contains(HasSubstr("questions-added-1.csv")));
    answer_questions(joined.questions_file, votes);
    const PoolEstimate after = estimate_pool(study, options);
    same(after);
    ASSERT_EQ(after.classifiers.size(), 3U);
    EXPECT_EQ(after.pairs.size(), 3U);
    EXPECT_EQ(after.groups.size(), 6U);
    EXPECT_EQ(after.classifiers[2].labels, after.classifiers[0].labels);
    const double truth = true_accuracy(folder, "c");
    EXPECT_LT(after.classifiers[2].accuracy.interval->low, truth);
    EXPECT_GT(after.classifiers[2].accuracy.interval->high, truth);
    // Nobody can judge a label that only c predicts. The other classifiers keep the image.
    {
        CsvReader csv(questions, "questions");
        ASSERT_TRUE(csv.next());
        std::ofstream more(votes, std::ios::app);
        for (int person = 0; person < 4; ++person)
            more << fmt::format("{},{},q{},maybe\n", csv[csv.column({"item"})],
                                csv[csv.column({"label"})], person);
    }
    const PoolEstimate unclear = estimate_pool(study, options);
    same(unclear);
    EXPECT_EQ(unclear.classifiers[2].labels + 1, after.classifiers[2].labels);
    // There are more images, and their questions are about all classifiers.
    DrawOptions more;
    more.draw = 150;
    draw_sample(study, more);
    EXPECT_THAT(read_text(questions_file(study, 2)), HasSubstr(",c\n"));
    answer_questions(questions_file(study, 2), votes);
    const PoolEstimate larger = estimate_pool(study, options);
    EXPECT_GE(larger.labels, 149U);
    EXPECT_EQ(larger.classifiers.size(), 3U);
}

TEST(FewLabelsStudy, ClassifiersThatCannotJoinAreRefused) {
    const Scratch folder;
    save_pool(folder);
    const fs::path study = folder / "study";
    draw_sample(study, options_of(folder, 60));
    JoinOptions join;
    join.stores = {folder / "runs/val/a"};
    EXPECT_THAT(message_of([&] { join_study(study, join); }, ErrorCode::usage),
                HasSubstr("began with all of these classifiers"));
    EXPECT_THAT(message_of([&] { join_study(folder / "none", join); }),
                HasSubstr("is no study of `assay estimate`"));
    Made made = made_up(images, 5, 9);
    for (std::size_t i = 0; i < images; ++i) made.group.push_back(i % 3 == 0 ? "left" : "right");
    made.states.assign(images, RowState::ok);
    made.states[7] = RowState::not_finite;
    save(folder, made, "hole");
    join.stores = {folder / "runs/val/hole"};
    const std::string design = read_text(design_file(study));
    EXPECT_THAT(message_of([&] { join_study(study, join); }),
                HasSubstr("no finite scores for 1 of the 900 images"));
    const Scratch other;
    save_pool(other);
    save(other, made_up(images, 5, 10), "a", StorageFormat::full_f32, 100, false, "again");
    join.stores = {other / "again"};
    EXPECT_THAT(message_of([&] { join_study(study, join); }, ErrorCode::usage),
                HasSubstr("has a classifier `a` with other predictions"));
    EXPECT_EQ(read_text(design_file(study)), design);
}

}  // namespace
}  // namespace assay::few_labels
