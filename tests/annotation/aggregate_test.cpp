#include "assay/annotation/aggregate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "assay/annotation/comparison.h"
#include "assay/annotation/label_stats.h"
#include "assay/error.h"
#include "assay/store/open_labelled.h"
#include "core/random.h"
#include "made_votes.h"
#include "scratch.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::int32_t> set_of(const LabelSets& sets, std::size_t i) {
    return {sets[i].begin(), sets[i].end()};
}

TEST(Shares, OfVotes) {
    // The proportions of yes are 2/2, (1 + 0.5 + 0)/3, none (no answer), and 4 of 5.
    const Votes votes =
        votes_from({{2, 2, -1, -1, -1}, {2, 1, 0, -1, -1}, {-1, -1, -1, -1, -1}, {2, 2, 2, 2, 0}});
    EXPECT_THAT(vote_proportions(votes), ElementsAre(1, 0.5, 0, 0.8));
    EXPECT_TRUE(KeepRule{0.8}.keeps(4.0 / 5));
    EXPECT_FALSE((KeepRule{0.5, true}.keeps(0.5)));  // a tie is not a majority
    std::uint64_t fallbacks = 9;
    // With the weights 3 1 0 0 0, q1 = (3 + 0.5) / 4 and q3 = 1. If only annotator 2 has a weight,
    // q0 falls back to its unweighted proportion.
    EXPECT_THAT(weighted_proportions(votes, std::vector<double>{3, 1, 0, 0, 0}, &fallbacks),
                ElementsAre(1, 0.875, 0, 1));
    EXPECT_EQ(fallbacks, 0U);
    EXPECT_THAT(weighted_proportions(votes, std::vector<double>{0, 0, 1, 0, 0}, &fallbacks),
                ElementsAre(1, 0, 0, 1));
    EXPECT_EQ(fallbacks, 1U);
    EXPECT_THROW(weighted_proportions(votes, std::vector<double>{1}), Error);
    EXPECT_THROW(weighted_proportions(votes, std::vector<double>{1, 1, -1, 1, 1}), Error);
}

TEST(Shares, WeightsFromAgreement) {
    // Annotators 0 and 1 always agree, annotator 2 never. Answers: 4 no of 6, 2 yes of 6.
    // So chance = 16/36 + 4/36 = 20/36.
    //   q0: 0 0 2; q1: 0 0 2. Annotators 0, 1: 1 of 2 others agree: (1/2 - 5/9) / (4/9) < 0 -> 0
    const Votes few = votes_from({{0, 0, 2}, {0, 0, 2}});
    EXPECT_THAT(agreement_weights(few), ElementsAre(0, 0, 0));
    // q0: 0 0 0; q1: 2 2 0: answers 4 no, 2 yes. Annotators 0, 1: 3 of 4; annotator 2: 2 of 4.
    const auto w = agreement_weights(votes_from({{0, 0, 0}, {2, 2, 0}}));
    EXPECT_NEAR(w[0], (0.75 - 5.0 / 9) / (4.0 / 9), 1e-12);
    EXPECT_EQ(w[0], w[1]);
    EXPECT_EQ(w[2], 0);
    EXPECT_THAT(agreement_weights(votes_from({{2, 2, -1}, {2, 2, -1}})), ElementsAre(1, 1, 0));
}

TEST(Agreement, FleissExample) {
    // The textbook example of Fleiss' kappa, with 10 subjects, 14 annotators and 5 categories:
    // kappa = 0.210.
    const std::vector<std::vector<int>> table = {
        {0, 0, 0, 0, 14}, {0, 2, 6, 4, 2}, {0, 0, 3, 5, 6}, {0, 3, 9, 2, 0}, {2, 2, 8, 1, 1},
        {7, 7, 0, 0, 0},  {3, 2, 6, 3, 0}, {2, 5, 3, 2, 2}, {6, 5, 2, 1, 0}, {0, 2, 2, 3, 7}};
    std::vector<std::vector<int>> rows;
    for (const auto& counts : table) {
        std::vector<int> row;
        for (int k = 0; k < 5; ++k)
            row.insert(row.end(), static_cast<std::size_t>(counts[static_cast<std::size_t>(k)]), k);
        rows.push_back(row);
    }
    const AnswerAgreement a = answer_agreement(votes_from(rows, {"a", "b", "c", "d", "e"}));
    // P = 0.378022, P_e = 0.212755: (P - P_e) / (1 - P_e)
    EXPECT_NEAR(*a.fleiss_kappa.value, (0.37802198 - 0.21275510) / (1 - 0.21275510), 1e-7);
    EXPECT_EQ(a.fleiss_kappa.key.definition, "fleiss_kappa.equal");
    ASSERT_TRUE(a.fleiss_kappa.interval);
    EXPECT_LT(a.fleiss_kappa.interval->low, *a.fleiss_kappa.value);
    EXPECT_GT(a.fleiss_kappa.interval->high, *a.fleiss_kappa.value);
}

TEST(Agreement, KrippendorffExample) {
    // Krippendorff's own example: four observers, twelve units, missing values; nominal alpha =
    // 0.743.
    const std::vector<std::vector<int>> units = {
        {1, 1, -1, 1}, {2, 2, 3, 2}, {3, 3, 3, 3}, {3, 3, 3, 3},  {2, 2, 2, 2},   {1, 2, 3, 4},
        {4, 4, 4, 4},  {1, 1, 2, 1}, {2, 2, 2, 2}, {-1, 5, 5, 5}, {-1, -1, 1, 1}, {-1, 3, -1, -1}};
    const AnswerAgreement a = answer_agreement(votes_from(units, {"0", "1", "2", "3", "4", "5"}));
    EXPECT_NEAR(*a.krippendorff_alpha.value, 0.743, 0.0005);
    EXPECT_EQ(a.pairless, 1U);
    EXPECT_EQ(a.krippendorff_alpha.n, 11U);
    EXPECT_EQ(a.fleiss_kappa.key.definition, "fleiss_kappa.unequal");
    EXPECT_THAT(a.fleiss_kappa.note, HasSubstr("1 to 4 answers"));
}

TEST(Agreement, Undefined) {
    const AnswerAgreement same = answer_agreement(votes_from({{2, 2}, {2, 2}}));
    EXPECT_FALSE(same.fleiss_kappa.value);
    EXPECT_THAT(same.fleiss_kappa.undefined, HasSubstr("all answers are the same"));
    EXPECT_FALSE(same.krippendorff_alpha.value);
    EXPECT_THAT(answer_agreement(votes_from({{2}, {0}})).krippendorff_alpha.undefined,
                HasSubstr("two answers"));
    // With a single question, the value has no interval.
    const AnswerAgreement one = answer_agreement(votes_from({{0, 2}}));
    EXPECT_EQ(*one.fleiss_kappa.value, -1);
    EXPECT_FALSE(one.fleiss_kappa.interval);
}

TEST(Agreement, IntervalCoversWhatMoreDataSay) {
    const std::vector<std::vector<double>> annotator = {{0.8, 0.1, 0.1}, {0.15, 0.15, 0.7}};
    const double truth =
        *answer_agreement(made_crowd(40000, {annotator, annotator, annotator}, 0.3, 1, 1).votes)
             .krippendorff_alpha.value;
    int covered = 0;
    for (std::uint64_t seed = 100; seed < 160; ++seed) {
        const auto a =
            answer_agreement(made_crowd(300, {annotator, annotator, annotator}, 0.3, 1, seed).votes)
                .krippendorff_alpha;
        covered += a.interval->low <= truth && truth <= a.interval->high ? 1 : 0;
    }
    // 57 of 60 are expected at 95 %; fewer than 51 have a probability of 0.4 %
    EXPECT_GE(covered, 51);
}

TEST(Annotators, QualityCountsAndShares) {
    // yes is 1, 0, 1. Annotator 0: yes no maybe, 1 + 1 + 1/2 of 3. Annotator 1: no no yes, 0 + 1
    // + 1.
    const Votes votes = votes_from({{2, 0, -1}, {0, 0, -1}, {1, 2, -1}});
    const auto quality = annotator_quality(votes, std::vector<double>{1, 0, 1}, 0.5);
    EXPECT_THAT(quality[0].given, ElementsAre(1U, 1U, 1U));
    EXPECT_NEAR(*quality[0].accuracy.value, 2.5 / 3, 1e-12);
    EXPECT_NEAR(*quality[1].accuracy.value, 2.0 / 3, 1e-12);
    EXPECT_NEAR(*quality[0].agreement.value, 1.0 / 3, 1e-12);
    // Latent no: one answer, "no": (1 + .5) / (1 + 3 * .5), .5 / 2.5, .5 / 2.5; latent yes: maybe
    // and yes.
    EXPECT_THAT(quality[0].confusion, ElementsAre(0.6, 0.2, 0.2, 0.5 / 3.5, 1.5 / 3.5, 1.5 / 3.5));
    EXPECT_FALSE(quality[2].accuracy.value);
    EXPECT_EQ(quality[2].accuracy.undefined, "no answer");
    EXPECT_FALSE(quality[2].agreement.value);
}

// One half-correct answer is neither 0 of 1 nor 1 of 1. Wilson's interval for p = 1/2 and n
// = 1 is 1/2 +- z sqrt(1/4 + z^2/4) / (1 + z^2) with z = 1.959964: 0.0546 to 0.9454.
TEST(Annotators, AMaybeIsHalfAnAnswer) {
    const auto quality = annotator_quality(votes_from({{1}}), std::vector<double>{1});
    ASSERT_TRUE(quality[0].accuracy.interval);
    EXPECT_EQ(*quality[0].accuracy.value, 0.5);
    EXPECT_NEAR(quality[0].accuracy.interval->low, 0.0546208, 1e-6);
    EXPECT_NEAR(quality[0].accuracy.interval->high, 0.9453792, 1e-6);
}

class BuildSets : public ::testing::Test {
protected:
    BuildSets() {
        for (const char* id : {"x/1.png", "x/2.png", "y/2.png", "y/3.png", "y/4.png"})
            data_.ids.append(id);
        for (const std::int32_t c : {0, 0, 1, 1, 1}) data_.labels.append(std::span(&c, 1));
        data_.classes = ClassList({"cat", "dog"});
    }
    static Votes asked(const std::vector<std::pair<std::string, std::string>>& questions) {
        VotesBuilder builder{AnswerScale{}};
        const auto annotator = builder.annotator("r");
        for (const auto& [item, label] : questions)
            builder.add(annotator, builder.question(item, label), 2);
        return builder.build(Repeats::all, "made up");
    }
    Dataset data_;
};

TEST_F(BuildSets, ThresholdOriginalAndLeftOut) {
    const Votes votes = asked({{"x/1.png", "cat"}, {"x/1.png", "dog"}, {"3.png", "dog"}});
    const auto built = build_label_sets(votes, std::vector<double>{0.9, 0.8, 0.79}, {}, data_,
                                        data_.classes, &data_.labels);
    EXPECT_THAT(set_of(built.sets, 0), ElementsAre(0, 1));
    // nobody was asked about the image, so the original label stays
    EXPECT_THAT(set_of(built.sets, 1), ElementsAre(0));
    EXPECT_THAT(set_of(built.sets, 3), ElementsAre());  // annotators rejected the label
    EXPECT_EQ(built.kept, 2U);
    EXPECT_EQ(built.emptied, 1U);
    EXPECT_EQ(built.original, 3U);
    EXPECT_EQ(built.left_out, 0U);
    const auto without = build_label_sets(votes, std::vector<double>{0.9, 0.8, 0.79}, {}, data_,
                                          data_.classes, nullptr);
    EXPECT_EQ(without.left_out, 3U);
    EXPECT_EQ(without.sets[1].size(), 0U);
}

TEST_F(BuildSets, WhatIsNotThereIsListed) {
    const Votes votes = asked(
        {{"2.png", "cat"}, {"z.png", "cat"}, {"4.png", "cow"}, {"4.png", "2"}, {"4.png", "1"}});
    const auto built =
        build_label_sets(votes, std::vector<double>(5, 1), {}, data_, data_.classes, &data_.labels);
    EXPECT_EQ(built.problems.count("image name that several items share"), 1U);
    EXPECT_EQ(built.problems.count("image that is not in the data set"), 1U);
    EXPECT_EQ(built.problems.count("label that is not a class"), 2U);
    EXPECT_THAT(set_of(built.sets, 4), ElementsAre(1));  // "1" is the class number of dog
    EXPECT_EQ(built.original, 4U);
}

TEST_F(BuildSets, AImageWithUnknownLabelsOnlyIsRated) {
    const auto built = build_label_sets(asked({{"4.png", "cow"}}), std::vector<double>{1}, {},
                                        data_, data_.classes, &data_.labels);
    EXPECT_EQ(built.sets[4].size(), 0U);
    EXPECT_EQ(built.emptied, 1U);
}

TEST_F(BuildSets, ComparedWithOthers) {
    const Votes votes =
        asked({{"x/1.png", "cat"}, {"x/1.png", "dog"}, {"3.png", "dog"}, {"3.png", "cat"}});
    const auto built = build_label_sets(votes, std::vector<double>{1, 0, 1, 1}, {}, data_,
                                        data_.classes, &data_.labels);
    // The sets {cat}, {cat, dog} are compared with {cat}, {dog}. They differ only in the cat of
    // 3.png. Items without answers do not count.
    const auto compared = compare_label_sets(built, data_.labels);
    EXPECT_EQ(compared.both_accept, 2U);
    EXPECT_EQ(compared.both_reject, 1U);
    EXPECT_EQ(compared.only_first, 1U);
    EXPECT_EQ(compared.only_second, 0U);
    EXPECT_EQ(*compared.agreement.value, 0.75);
    EXPECT_EQ(compared.items, 2U);
    EXPECT_EQ(compared.same_set, 1U);
    // The reference accepts 2 of the 3 kept labels, and 2 of its 2 labels are kept.
    EXPECT_NEAR(*compared.precision.value, 2.0 / 3, 1e-12);
    EXPECT_EQ(*compared.recall.value, 1.0);
    // The reference has a label that nobody was asked about, so no set can be the same.
    LabelSets more;
    const std::vector<std::vector<std::int32_t>> sets = {{0, 1}, {}, {0, 1}, {0, 1}, {0}};
    for (const auto& set : sets) more.append(set);
    EXPECT_EQ(compare_label_sets(built, more).only_second, 1U);
}

// x/2.png has a question without an answer. Its original label is used, but it is not a decision of
// the votes, so the comparison and the curve exclude it.
TEST_F(BuildSets, WhatNobodyAnsweredIsNotCompared) {
    VotesBuilder builder{AnswerScale{}};
    builder.add(builder.annotator("r"), builder.question("x/1.png", "cat"), 2);
    builder.question("x/2.png", "cat");
    const Votes votes = builder.build(Repeats::all, "made up");
    const std::vector<double> yes = {1, 0};
    const auto built = build_label_sets(votes, yes, {}, data_, data_.classes, &data_.labels);
    ASSERT_THAT(set_of(built.sets, 1), ElementsAre(0));
    const Votes experts = asked({{"x/1.png", "cat"}, {"x/2.png", "cat"}});
    for (const ReferenceDecisions& reference :
         {reference_of(built, data_.labels), reference_of(built, experts, data_, data_.classes)}) {
        EXPECT_THAT(reference.of_question, ElementsAre(1, -1));
        const auto compared = compare_label_sets(built, reference);
        EXPECT_EQ(compared.both_accept, 1U);
        EXPECT_EQ(compared.only_first + compared.only_second + compared.both_reject, 0U);
        EXPECT_EQ(compared.items, 1U);
        const ThresholdCurve curve = threshold_curve(votes, yes, built, reference);
        EXPECT_EQ(curve.questions, 1U);
        EXPECT_EQ(curve.at(0.8)->alike, compared.both_accept);
    }
}

// Compares the curve with a test of each threshold.
TEST_F(BuildSets, TheCurveIsWhatEachThresholdGives) {
    const std::vector<std::string> items = {"x/1.png", "3.png", "4.png"};
    RandomStream random(3, "test.curve");
    for (int round = 0; round < 50; ++round) {
        std::vector<std::pair<std::string, std::string>> questions;
        std::vector<double> yes;
        for (const std::string& item : items) {
            for (const char* label : {"cat", "dog"}) {
                if (random.below(4) == 0) continue;
                questions.emplace_back(item, label);
                yes.push_back(static_cast<double>(random.below(5)) / 4);
            }
        }
        if (questions.empty()) continue;
        LabelSets reference;
        for (std::size_t i = 0; i < data_.size(); ++i) {
            std::vector<std::int32_t> set;
            for (std::int32_t c = 0; c < 2; ++c) {
                if (random.below(2) == 0) set.push_back(c);
            }
            reference.append(set);
        }
        const Votes votes = asked(questions);
        const auto built_at = [&](double threshold) {
            return build_label_sets(votes, yes, {threshold, false}, data_, data_.classes, nullptr);
        };
        const ThresholdCurve curve =
            threshold_curve(votes, yes, built_at(0.5), reference_of(built_at(0.5), reference));
        for (const double threshold : {0.0, 0.1, 0.25, 0.5, 0.6, 0.75, 0.9, 1.0}) {
            const BuiltLabelSets built = built_at(threshold);
            const LabelSetComparison direct = compare_label_sets(built, reference);
            const ThresholdPoint* const point = curve.at(threshold);
            EXPECT_EQ(point == nullptr ? 0 : point->kept, direct.both_accept + direct.only_first);
            if (point == nullptr) continue;
            EXPECT_EQ(point->both_accept, direct.both_accept);
            EXPECT_EQ(point->alike, direct.both_accept + direct.both_reject);
            EXPECT_EQ(point->same_set, direct.same_set) << round << " " << threshold;
            EXPECT_EQ(curve.items, direct.items);
            EXPECT_EQ(curve.precision(*point, 0.95).value, direct.precision.value);
            EXPECT_EQ(curve.recall(*point, 0.95).value, direct.recall.value);
            EXPECT_GE(curve.best_agreement()->alike, point->alike);
            EXPECT_GE(curve.best_sets()->same_set, point->same_set);
        }
    }
}

TEST_F(BuildSets, WrittenSetsAreReadBack) {
    Scratch folder;
    LabelSets sets;
    for (const std::vector<std::int32_t>& set :
         std::vector<std::vector<std::int32_t>>{{0, 1}, {}, {1}, {0}, {}})
        sets.append(set);
    const std::map<LabelSetFormat, std::string> files = {{LabelSetFormat::list, "a.json"},
                                                         {LabelSetFormat::object, "b.json"},
                                                         {LabelSetFormat::csv, "c.csv"}};
    for (const auto& [format, name] : files) {
        const auto path = write(folder / name, label_sets_text(sets, data_, data_.classes, format));
        EXPECT_EQ(read_label_sets(path, data_, data_.classes), sets) << name;
    }
    EXPECT_EQ(label_sets_text(sets, data_, numbered_classes(2), LabelSetFormat::list),
              "[[0, 1], [], [1], [0], []]\n");
    EXPECT_EQ(label_sets_text(sets, data_, data_.classes, LabelSetFormat::list),
              "[[\"cat\", \"dog\"], [], [\"dog\"], [\"cat\"], []]\n");
    EXPECT_THROW(label_set_format_named("xml"), Error);
}

// A space between two ids is ambiguous if ids contain spaces.
TEST_F(BuildSets, IdsWithBlanksAreReadBack) {
    Scratch folder;
    data_.classes = ClassList({"dog", "hot", "dog hot", "great white shark"});
    LabelSets sets;
    for (const std::vector<std::int32_t>& set :
         std::vector<std::vector<std::int32_t>>{{0, 1}, {2}, {0, 3}, {}, {3}})
        sets.append(set);
    const std::string text = label_sets_text(sets, data_, data_.classes, LabelSetFormat::csv);
    EXPECT_THAT(text, HasSubstr("x/1.png,dog;hot;\nx/2.png,dog hot;\n"));
    const auto path = write(folder / "l.csv", text);
    EXPECT_EQ(read_label_sets(path, data_, data_.classes), sets);
    // Without a class list, the file defines the classes.
    EXPECT_THAT(open_labelled(path, {}).classes.ids(),
                ElementsAre("dog", "dog hot", "great white shark", "hot"));
}

TEST_F(BuildSets, IdsThatAFormatCannotHoldAreRefused) {
    Scratch folder;
    LabelSets sets;
    for (const std::int32_t c : {0, 1, 0, 1, 0}) sets.append(std::span(&c, 1));
    const auto refused = [&](const std::string& id, LabelSetFormat format) -> std::string {
        try {
            label_sets_text(sets, data_, ClassList({"cat", id}), format);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input);
            return error.message();
        }
        return "no error";
    };
    for (const char* id : {"dog|x", "dog;x", "dog\nx", "-1", " dog"})
        EXPECT_THAT(refused(id, LabelSetFormat::csv), HasSubstr("cannot be in a list of labels"))
            << id;
    const ClassList bars({"cat", "dog|x"});
    const auto path =
        write(folder / "l.json", label_sets_text(sets, data_, bars, LabelSetFormat::object));
    EXPECT_EQ(read_label_sets(path, data_, bars), sets);
    // One byte of Latin-1, which is not UTF-8.
    for (const auto format : {LabelSetFormat::list, LabelSetFormat::object})
        EXPECT_THAT(refused("c\xe9", format), HasSubstr("class `c\xe9` is not UTF-8"));
    EXPECT_EQ(refused("c\xe9", LabelSetFormat::csv), "no error");
    Dataset latin = data_;
    latin.ids = {};
    for (const char* id : {"1", "2", "3", "4", "\xe9.png"}) latin.ids.append(id);
    EXPECT_THROW(label_sets_text(sets, latin, data_.classes, LabelSetFormat::object), Error);
}

// Texts are mapped to images and classes before the search for repeated answers.
TEST_F(BuildSets, QuestionsUnderSeveralNamesArePooled) {
    const auto pooled = [&](Repeats repeats) {
        VotesBuilder builder{AnswerScale{}};
        const auto anna = builder.annotator("anna"), bert = builder.annotator("bert");
        builder.add(bert, builder.question("y/3.png", "cat"), 0);
        builder.add(anna, builder.question("3.png", "0"),
                    2);  // the same image, and the class number of cat
        builder.add(anna, builder.question("y/3.png", "cat"), 1);
        builder.add(anna, builder.question("z.png", "cow"),
                    2);  // the name matches no item and no class, so it stays unchanged
        return builder.build(repeats, "made up", [&](const Votes& texts) {
            return meanings_among(data_, data_.classes, texts);
        });
    };
    const Votes votes = pooled(Repeats::first);
    EXPECT_EQ(votes.pooled, 1U);
    ASSERT_EQ(votes.questions(), 2U);
    EXPECT_EQ(votes.items, [] {
        StringColumn names;
        names.append("y/3.png");
        names.append("z.png");
        return names;
    }());
    EXPECT_EQ(votes.labels.size(), 2U);
    EXPECT_EQ(votes.repeated, 1U);
    // Codes are annotator * 3 + answer. Anna's first answer is yes, and her last is maybe.
    EXPECT_THAT(votes.of(0), ElementsAre(2, 3));
    EXPECT_THAT(pooled(Repeats::last).of(0), ElementsAre(1, 3));
    EXPECT_THAT(pooled(Repeats::all).of(0), ElementsAre(1, 2, 3));
    EXPECT_THROW(pooled(Repeats::refuse), Error);
}

TEST(OfVotes, ClassesAndItems) {
    const auto labels = [](const std::vector<std::string>& texts, const std::string& item) {
        VotesBuilder builder{AnswerScale{}};
        for (const auto& text : texts)
            builder.add(builder.annotator("r"), builder.question(item, text), 0);
        return builder.build(Repeats::all, "made up");
    };
    EXPECT_EQ(classes_of_votes(labels({"4", "2"}, "a.png")), numbered_classes(5));
    EXPECT_EQ(classes_of_votes(labels({"4", "2"}, "ILSVRC2012_val_00000007.JPEG")),
              imagenet_classes());
    EXPECT_EQ(classes_of_votes(labels({"dog", "4"}, "a.png")).ids(),
              (std::vector<std::string>{"4", "dog"}));
    EXPECT_EQ(dataset_of_votes(labels({"4"}, "ILSVRC2012_val_00000007.JPEG")).size(), 50'000U);
    EXPECT_EQ(dataset_of_votes(labels({"4"}, "a.png")).size(), 1U);
}

TEST(RealVotes, AgreeWithThePublishedLabels) {
    const auto data = shared_data();
    if (data.empty()) GTEST_SKIP() << "the shared data are absent";
    const Votes votes = read_votes(data / "real/raters.npz");
    EXPECT_EQ(votes.annotators.size(), 85U);
    EXPECT_EQ(votes.questions(), 184'962U);
    EXPECT_EQ(votes.codes.size(), 924'810U);
    EXPECT_EQ(votes.problems.total(), 0U);
    const Dataset dataset = dataset_of_votes(votes);
    const LabelSets published =
        read_label_sets(data / "real/real.json", dataset, imagenet_classes());
    const DawidSkene fit = dawid_skene(votes);
    EXPECT_TRUE(fit.converged);
    const auto built =
        build_label_sets(votes, fit.yes, {}, dataset, classes_of_votes(votes), &published);
    EXPECT_EQ(built.problems.total(), 0U);
    EXPECT_EQ(built.original, 25'111U);
    const auto compared = compare_label_sets(built, published);
    EXPECT_EQ(compared.agreement.n, 184'962U);
    EXPECT_NEAR(*compared.agreement.value, 0.98250, 1e-5);
    EXPECT_EQ(compared.same_set, 21'906U);
    EXPECT_LE(fit.passes, 40);
    // Dawid-Skene is closer to the published labels than the majority with its best threshold.
    const auto majority = build_label_sets(votes, vote_proportions(votes), {0.5, true}, dataset,
                                           imagenet_classes(), &published);
    EXPECT_LT(*compare_label_sets(majority, published).agreement.value, *compared.agreement.value);
    std::map<std::size_t, std::size_t> histogram;
    for (std::size_t i = 0; i < published.size(); ++i)
        ++histogram[std::min<std::size_t>(6, published[i].size())];
    EXPECT_THAT(histogram, ElementsAre(std::pair(0, 3163), std::pair(1, 39394), std::pair(2, 5408),
                                       std::pair(3, 1319), std::pair(4, 411), std::pair(5, 161),
                                       std::pair(6, 144)));
}

}  // namespace
}  // namespace assay
