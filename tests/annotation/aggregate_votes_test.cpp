#include "assay/annotation/aggregate_votes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/annotation/comparison.h"
#include "assay/annotation/label_stats.h"
#include "assay/error.h"
#include "made_votes.h"
#include "message_of.h"
#include "scratch.h"

namespace assay {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string votes_text =
    "annotator,item,label,answer\n"
    "anna,a.png,cat,yes\nbert,a.png,cat,yes\ncleo,a.png,cat,yes\n"
    "anna,a.png,dog,yes\nbert,a.png,dog,yes\ncleo,a.png,dog,maybe\n"
    "anna,b.png,cat,no\nbert,b.png,cat,no\ncleo,b.png,cat,no\n";

class AggregateVotes : public ::testing::Test {
protected:
    AggregateVotes() {
        options_.votes = write(folder_ / "votes.csv", votes_text);
        options_.method = "majority";
    }
    std::string refused(ErrorCode code = ErrorCode::bad_input) {
        return message_of([&] { aggregate_votes(options_); }, code);
    }
    Scratch folder_;
    AggregateOptions options_;
};

std::vector<std::string> names_of(const Table& table) {
    std::vector<std::string> names;
    for (const Column& column : table.columns) names.push_back(column.name);
    return names;
}

TEST_F(AggregateVotes, DefaultsByMethod) {
    const Aggregation majority = aggregate_votes(options_);
    EXPECT_TRUE(majority.rule.above);  // more than half is needed: a tie is not a majority
    EXPECT_EQ(majority.rule.threshold, 0.5);
    EXPECT_EQ(majority.classes.ids(), (std::vector<std::string>{"cat", "dog"}));
    // a.png: cat 1, dog (1 + 1 + 0.5) / 3; b.png: cat 0.
    EXPECT_THAT(majority.yes, ElementsAre(1, 2.5 / 3, 0));
    EXPECT_EQ(majority.built.kept, 2U);
    EXPECT_EQ(majority.built.emptied, 1U);
    options_.method = "dawid-skene";
    const Aggregation fitted = aggregate_votes(options_);
    EXPECT_FALSE(fitted.rule.above);
    EXPECT_EQ(fitted.rule.threshold, 0.8);
    options_.threshold = 0.5;
    options_.method = "weighted";
    const Aggregation weighted = aggregate_votes(options_);
    EXPECT_FALSE(weighted.rule.above);  // a proportion that equals a given threshold reaches it
    EXPECT_EQ(weighted.weights.size(), 3U);
}

TEST_F(AggregateVotes, WeightsAndAnnotatorsFromFiles) {
    options_.method = "weighted";
    options_.weights = write(folder_ / "w.csv", "rater,weight\ncleo,4\nanna,0\nbert,0\nnobody,1\n");
    const Aggregation found = aggregate_votes(options_);
    EXPECT_THAT(found.weights, ElementsAre(0, 0, 4));
    EXPECT_THAT(found.yes, ElementsAre(1, 0.5, 0));
    write(folder_ / "w.csv", "annotator,weight\nanna,1\n");
    EXPECT_THAT(refused(), HasSubstr("no weight for 2 of 3 annotators: bert, cleo"));
    write(folder_ / "w.csv", "annotator,weight\nanna,-1\n");
    EXPECT_THAT(refused(), HasSubstr("weight `-1` is not a number from 0 to 1e9"));
    write(folder_ / "w.csv", "annotator,weight\nanna,1\nanna,1\n");
    EXPECT_THAT(refused(), HasSubstr("annotator `anna` appears twice"));
    options_.method = "majority";
    EXPECT_THAT(refused(ErrorCode::usage), HasSubstr("--weights needs --method weighted"));
    options_.method = "mayority";
    EXPECT_THAT(refused(ErrorCode::usage), HasSubstr("did you mean `majority`?"));
}

TEST(AnnotatorRecords, HaveTheirColumnsWithoutAnyAnnotator) {
    Aggregation none;
    none.votes.scale = answer_scale({"no", "yes"});
    const Table table = annotator_records(none);
    EXPECT_THAT(names_of(table),
                ElementsAre("annotator", "answers", "given_no", "given_yes", "accuracy",
                            "agreement", "P(no|no)", "P(yes|no)", "P(no|yes)", "P(yes|yes)"));
    EXPECT_TRUE(table.rows.empty());
}

// Gives the same result as the votes of one more annotator in the file.
TEST_F(AggregateVotes, OriginalLabelsVote) {
    options_.method = "dawid-skene";
    options_.original = write(folder_ / "original.csv", "path,labels\na.png,dog\nb.png,cat\n");
    options_.original_votes = "all";
    const Aggregation voted = aggregate_votes(options_);
    EXPECT_EQ(voted.original_votes, 3U);
    EXPECT_EQ(voted.votes.annotators[3], "original label");
    options_.original_votes = "";
    const std::string of_dog = "original label,a.png,cat,no\noriginal label,a.png,dog,yes\n";
    const std::string of_cat = "original label,b.png,cat,yes\n";
    const AnswerAgreement of_people = aggregate_votes(options_).agreement;
    EXPECT_EQ(voted.agreement.fleiss_kappa.value, of_people.fleiss_kappa.value);
    write(options_.votes, votes_text + of_dog + of_cat);
    const Aggregation by_hand = aggregate_votes(options_);
    EXPECT_EQ(by_hand.yes, voted.yes);
    EXPECT_EQ(by_hand.fitted->confusion, voted.fitted->confusion);
    EXPECT_EQ(posterior_csv(by_hand), posterior_csv(voted));

    // Only questions about class 0, cat: no in a.png, whose label is dog, and yes in b.png.
    write(options_.votes, votes_text);
    options_.original_votes = "0";
    const Aggregation some = aggregate_votes(options_);
    EXPECT_EQ(some.original_votes, 2U);
    write(options_.votes, votes_text + "original label,a.png,cat,no\n" + of_cat);
    options_.original_votes = "";
    EXPECT_EQ(aggregate_votes(options_).yes, some.yes);

    options_.original_votes = "all";
    write(options_.votes, votes_text + of_dog);
    EXPECT_THAT(refused(), HasSubstr("is called `original label` already"));
    write(options_.votes, votes_text);
    options_.original_votes = "2-5";
    EXPECT_THAT(refused(ErrorCode::usage),
                HasSubstr("classes `2-5` whose original labels vote: like 0-397"));
    options_.original_votes = "all";
    options_.original = "";
    EXPECT_THAT(refused(ErrorCode::usage), HasSubstr("need a data set with labels"));
}

// For a.png the votes say a cat but no animal, which is a contradiction. For b.png they say
// neither.
TEST_F(AggregateVotes, AHierarchyImpliesLabels) {
    options_.hierarchy =
        write(folder_ / "h.csv", "child,parent\ncat,animal\ndog,animal\nanimal,thing\n");
    write(options_.votes, votes_text +
                              "anna,a.png,animal,no\nbert,a.png,animal,no\n"
                              "anna,b.png,animal,no\nbert,b.png,animal,no\n");
    const Aggregation found = aggregate_votes(options_);
    EXPECT_EQ(found.implied_labels, 1U);
    EXPECT_EQ(found.contradictions, 1U);
    EXPECT_THAT(found.assumed, Contains(HasSubstr("although they accepted a class below: animal of "
                                                  "a.png")));
    EXPECT_THAT(std::vector(found.built.sets[0].begin(), found.built.sets[0].end()),
                ElementsAre(0, 1, 2));
    EXPECT_TRUE(found.built.sets[1].empty());
    EXPECT_EQ(found.built.kept, 3U);
    EXPECT_EQ(report_of(found).result.at("implied_labels"), 1);
    EXPECT_EQ(report_of(found).result.at("implied_and_rejected"), 1);

    write(options_.hierarchy, "child,parent\nanimal,thing\ncat,animal\ndog,cat\ncat,dog\n");
    EXPECT_THAT(refused(), HasSubstr("are their own ancestors"));
    write(options_.hierarchy, "child,parent\ncat,thing\ndog,thing\n");
    EXPECT_THAT(refused(), HasSubstr("animal"));
    write(options_.votes, votes_text);
    EXPECT_THAT(refused(ErrorCode::usage), HasSubstr("omit --hierarchy"));
}

// The two classes called maillot are one question, and both become valid.
TEST_F(AggregateVotes, SynonymsOfImageNetAreOne) {
    options_.hierarchy = "imagenet";
    options_.classes = "imagenet";
    write(options_.votes,
          "annotator,item,label\na,p.png,n03710637\nb,p.png,n03710721\nc,p.png,n01440764\n");
    const Aggregation found = aggregate_votes(options_);
    EXPECT_THAT(std::vector(found.built.sets[0].begin(), found.built.sets[0].end()),
                ElementsAre(638, 639));
    EXPECT_EQ(found.implied_labels, 1U);
    EXPECT_EQ(found.yes[0], 2.0 / 3);
}

TEST_F(AggregateVotes, ExpertsAreAReference) {
    options_.against = write(folder_ / "experts.csv",
                             "annotator,item,label,answer\n"
                             "eve,a.png,dog,no\nfay,a.png,dog,no\ngil,a.png,dog,yes\n"
                             "eve,b.png,cat,no\neve,a.png,cow,yes\neve,c.png,cat,yes\n");
    const Aggregation found = aggregate_votes(options_);
    ASSERT_TRUE(found.comparison);
    // The dog of a.png is kept, but the experts reject it. The cat of b.png is not kept. They were
    // not asked about a cat in a.png.
    EXPECT_EQ(found.comparison->only_first, 1U);
    EXPECT_EQ(found.comparison->both_reject, 1U);
    EXPECT_EQ(found.comparison->both_accept + found.comparison->only_second, 0U);
    EXPECT_EQ(found.comparison->items, 2U);
    EXPECT_EQ(found.comparison->same_set, 1U);
    EXPECT_EQ(found.comparison->recall.undefined, "the reference accepts no label");
    // There are two questions, with the proportions 2.5 / 3 and 0.
    EXPECT_THAT(curve_csv(found), HasSubstr("threshold,kept,precision,precision_low"));
    ASSERT_EQ(found.curve->points.size(), 2U);
    EXPECT_EQ(found.curve->points[0].threshold, 2.5 / 3);
    EXPECT_EQ(found.curve->points[1].kept, 2U);
}

// A column is recognized by its whole name, in upper or lower case. A name that only contains such
// a word is another column.
TEST_F(AggregateVotes, ExpertsAreKnownByTheColumnOfAnnotators) {
    options_.against =
        write(folder_ / "EXPERTS.CSV", "Rater,item,label,answer\neve,a.png,dog,no\n");
    EXPECT_EQ(aggregate_votes(options_).comparison->only_first, 1U);
    options_.against =
        write(folder_ / "sets.csv", "path,labels,user_agent\na.png,cat,x\nb.png,cat,y\n");
    const Aggregation sets = aggregate_votes(options_);
    EXPECT_EQ(sets.comparison->both_accept, 1U);
    EXPECT_EQ(sets.comparison->only_second, 1U);
}

// ReaL's published decisions come from 86 voters. Their threshold was chosen with the majority of
// five experts. The shared data do not include the original labels.
TEST(RealVotes, AgainstExperts) {
    const auto data = shared_data();
    if (data.empty()) GTEST_SKIP() << "the shared data are absent";
    AggregateOptions options;
    options.votes = data / "real/raters_golden.npz";
    options.against = data / "real/golden.npz";
    const Aggregation found = aggregate_votes(options);
    EXPECT_EQ(found.curve->questions, 1'135U);
    EXPECT_EQ(found.curve->items, 155U);
    EXPECT_EQ(found.curve->points.back().kept, 1'135U);
    EXPECT_GE(found.curve->best_agreement()->alike,
              found.comparison->both_accept + found.comparison->both_reject);
}

TEST_F(AggregateVotes, ReportHoldsTheNumbers) {
    write(options_.votes, votes_text + "dora,a.png,cat,perhaps\n");
    options_.against = write(folder_ / "other.csv", "path,labels\na.png,cat\nb.png,cat\n");
    Report report = report_of(aggregate_votes(options_));
    EXPECT_TRUE(report.partial);
    ASSERT_EQ(report.warnings.size(), 1U);
    EXPECT_THAT(report.warnings[0], HasSubstr("unknown answer: 1"));
    EXPECT_THAT(names_of(report.records),
                ElementsAre("name", "value", "low", "high", "n", "undefined"));
    EXPECT_EQ(report.result.at("schema"), "assay.label_votes/2");
    EXPECT_EQ(report.result.at("votes").at("used"), 9);
    EXPECT_EQ(report.result.at("labels_per_image").at("2"), 1);
    EXPECT_EQ(report.result.at("labels_per_image").at("none"), 1);
    EXPECT_EQ(report.result.at("comparison").at("agreement").at("unit"), "proportion");
    EXPECT_EQ(report.result.at("comparison").at("both_accept"), 1);
    EXPECT_EQ(report.result.at("comparison").at("only_these"), 1);
    EXPECT_EQ(report.result.at("comparison").at("only_those"), 1);
    EXPECT_FALSE(report.result.contains("annotator_quality"));
    options_.list_annotators = true;
    report = report_of(aggregate_votes(options_));
    EXPECT_EQ(report.records.rows.size(), 3U);  // none of dora's votes counts
    EXPECT_EQ(report.records.columns[2].name, "given_no");
    EXPECT_EQ(report.result.at("annotator_quality").size(), 3U);
}

TEST(LabelsPerImage, SevenRows) {
    LabelSets sets;
    for (const std::size_t n : {0, 1, 5, 6, 9, 1}) {
        std::vector<std::int32_t> labels(n);
        for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<std::int32_t>(i);
        sets.append(labels);
    }
    std::vector<std::uint64_t> images;
    for (const LabelsPerImage& row : labels_per_image(sets)) images.push_back(row.images);
    EXPECT_THAT(images, ElementsAre(2, 0, 0, 0, 1, 2, 1));
}

TEST(LabelStatsReport, PairsAreNumbers) {
    Scratch folder;
    LabelStatsOptions options;
    options.data = write(folder / "l.json", "[[0, 1], [0, 1], [0], [2], []]");
    options.minimum_together = 1;
    Report report = report_of(dataset_label_stats(options));
    EXPECT_THAT(names_of(report.records),
                ElementsAre("class", "name", "images", "alone", "with_others"));
    EXPECT_EQ(report.result.at("labels_per_image").at("2"), 2);
    EXPECT_EQ(report.result.at("pairs").size(), 1U);
    // Class 0 is in three and class 1 in two of the four labelled images, so 3 * 2 / 4 are
    // expected.
    EXPECT_NEAR(report.result.at("pairs").at(0).at("lift").at("value").get<double>(), 2 / 1.5,
                1e-12);
    options.pairs = 1;
    report = report_of(dataset_label_stats(options));
    EXPECT_THAT(names_of(report.records), ElementsAre("a", "b", "together", "count_a", "count_b",
                                                      "expected", "lift", "pmi", "npmi"));
    EXPECT_NEAR(*std::get<Estimate>(report.records.rows.at(0).at(6)).value, 2 / 1.5, 1e-12);
}

}  // namespace
}  // namespace assay
