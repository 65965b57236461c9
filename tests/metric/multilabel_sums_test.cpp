// Compares metrics of sigmoid outputs with scikit-learn, the definitions and closed forms, and
// checks properties of their intervals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/random.h"
#include "metric/multilabel_sums.h"

namespace assay {
namespace {

using ClassSet = std::vector<std::int32_t>;

struct Matrix {
    std::uint32_t classes = 0;
    std::vector<ClassSet> sets;
    std::vector<std::vector<double>> scores;
    ClassSet reached(std::size_t i, double threshold) const {
        ClassSet list;
        for (std::uint32_t c = 0; c < classes; ++c) {
            if (scores[i][c] >= threshold) list.push_back(static_cast<std::int32_t>(c));
        }
        return list;
    }
    bool valid(std::size_t i, std::uint32_t c) const {
        return std::count(sets[i].begin(), sets[i].end(), static_cast<std::int32_t>(c)) > 0;
    }
};

MultilabelSums sums_of(const Matrix& matrix, double threshold) {
    MultilabelSums sums(matrix.classes, true);
    for (std::size_t i = 0; i < matrix.sets.size(); ++i)
        sums.add_sets(static_cast<std::uint16_t>(i % group_count), matrix.sets[i],
                      matrix.reached(i, threshold));
    return sums;
}
MultilabelSums ranked(const Matrix& matrix) {
    MultilabelSums sums(matrix.classes, false);
    for (std::size_t i = 0; i < matrix.sets.size(); ++i)
        sums.add_ranking(static_cast<std::uint16_t>(i % group_count),
                         ranking_values(matrix.scores[i], matrix.sets[i]));
    return sums;
}

SetScore score_named(const std::string& metric) {
    return metric == "multilabel_precision" ? SetScore::precision
           : metric == "multilabel_recall"  ? SetScore::recall
                                            : SetScore::f1;
}

Estimate value_by_id(const Matrix& matrix, double threshold, const std::string& id) {
    const std::string metric = id.substr(0, id.find('.')), rest = id.substr(id.find('.') + 1);
    if (metric == "exact_match") return sums_of(matrix, threshold).mean(ItemMean::exact_match, .95);
    if (metric == "hamming_loss") return sums_of(matrix, threshold).mean(ItemMean::hamming, .95);
    if (metric == "coverage_error") return ranked(matrix).mean(ItemMean::coverage, .95);
    if (metric == "ranking_loss") return ranked(matrix).mean(ItemMean::ranking_loss, .95);
    if (metric == "label_ranking_average_precision")
        return ranked(matrix).mean(ItemMean::ranking_precision, .95);
    const SetScore score = score_named(metric);
    if (rest == "samples")
        return sums_of(matrix, threshold)
            .mean(score == SetScore::precision ? ItemMean::precision
                  : score == SetScore::recall  ? ItemMean::recall
                                               : ItemMean::f1,
                  .95);
    const SetAverage average = rest == "micro"   ? SetAverage::micro
                               : rest == "macro" ? SetAverage::macro
                                                 : SetAverage::weighted;
    return sums_of(matrix, threshold).score(score, average, 0, .95);
}

TEST(MultilabelSums, AreThoseOfScikitLearn) {
    std::ifstream file(ASSAY_SOURCE_DIR "/tests/metric/fixtures/multilabel.json");
    const auto fixture = nlohmann::json::parse(file);
    ASSERT_EQ(fixture.at("cases").size(), 11U);
    std::size_t compared = 0, undefined = 0;
    for (const auto& one : fixture.at("cases")) {
        const Matrix matrix{one.at("classes"), one.at("sets"), one.at("scores")};
        const double threshold = one.at("threshold").get<double>() / 100;
        const auto check = [&](const Estimate& found, double theirs, const std::string& what) {
            ++compared;
            if (!found.value) {  // the overall value is 0/0, which scikit-learn defines as 0
                ++undefined;
                EXPECT_EQ(theirs, 0) << what;
                EXPECT_NE(found.undefined.find("0/0"), std::string::npos) << what;
                return;
            }
            EXPECT_NEAR(*found.value, theirs, 1e-13) << what;
            ASSERT_TRUE(found.interval) << what;
            EXPECT_LE(found.interval->low, *found.value) << what;
            EXPECT_GE(found.interval->high, *found.value) << what;
            EXPECT_LT(found.interval->low, found.interval->high) << what;
        };
        for (const auto& [id, value] : one.at("values").items())
            check(value_by_id(matrix, threshold, id), value.get<double>(),
                  one.at("name").get<std::string>() + ": " + id);
        const MultilabelSums sums = sums_of(matrix, threshold);
        for (const auto& [metric, values] : one.at("one_class").items()) {
            for (std::uint32_t c = 0; c < matrix.classes; ++c)
                check(sums.score(score_named(metric), SetAverage::one_class, c, .95),
                      values.at(c).get<double>(),
                      one.at("name").get<std::string>() + ": " + metric + " of a class");
        }
    }
    EXPECT_GT(compared, 300U);
    EXPECT_GT(undefined, 0U);  // these classes never occur
    EXPECT_LT(undefined, compared / 4);
}

Matrix drawn_matrix(RandomStream& random, std::size_t items, std::uint32_t classes,
                    std::uint64_t levels) {
    Matrix matrix;
    matrix.classes = classes;
    for (std::size_t i = 0; i < items; ++i) {
        ClassSet set;
        std::vector<double> row;
        for (std::uint32_t c = 0; c < classes; ++c) {
            if (random.uniform() < .3) set.push_back(static_cast<std::int32_t>(c));
            row.push_back(static_cast<double>(random.below(levels)) / static_cast<double>(levels));
        }
        matrix.sets.push_back(set);
        matrix.scores.push_back(row);
    }
    return matrix;
}

// A reference by the definitions, pair by pair and class by class.
RankingValues slow_ranking(const Matrix& m, std::size_t i) {
    RankingValues values;
    double valid = 0, pairs = 0, wrong = 0, precision = 0;
    for (std::uint32_t a = 0; a < m.classes; ++a) {
        if (!m.valid(i, a)) continue;
        ++valid;
        double reach = 0, reach_valid = 0;
        for (std::uint32_t b = 0; b < m.classes; ++b) {
            const bool at_least = m.scores[i][b] >= m.scores[i][a];
            reach += at_least ? 1 : 0;
            reach_valid += at_least && m.valid(i, b) ? 1 : 0;
            if (m.valid(i, b)) continue;
            ++pairs;
            wrong += at_least ? 1 : 0;
        }
        values.coverage = std::max(values.coverage, reach);
        precision += reach_valid / reach;
    }
    if (pairs > 0) values.ranking_loss = wrong / pairs;
    if (valid > 0) values.ranking_precision = precision / valid;
    return values;
}

TEST(MultilabelSums, RankingsAgreeWithTheWordingWhateverTheTies) {
    RandomStream random(1, "rankings");
    for (int trial = 0; trial < 400; ++trial) {
        const Matrix m = drawn_matrix(random, 4, static_cast<std::uint32_t>(1 + random.below(12)),
                                      1 + random.below(trial % 2 == 0 ? 4 : 1000));
        for (std::size_t i = 0; i < m.sets.size(); ++i) {
            const RankingValues fast = ranking_values(m.scores[i], m.sets[i]),
                                slow = slow_ranking(m, i);
            ASSERT_EQ(fast.coverage, slow.coverage) << trial;
            ASSERT_DOUBLE_EQ(fast.ranking_loss, slow.ranking_loss) << trial;
            ASSERT_NEAR(fast.ranking_precision, slow.ranking_precision, 1e-15) << trial;
        }
    }
}

// Classes 0 to 3 have scores .9 .6 .6 .1; 1 and 3 are valid. Class 1 ties with 2, so three classes
// reach it, of which one is valid. All four reach class 3, and two of them are valid.
TEST(MultilabelSums, ClosedForms) {
    const RankingValues values =
        ranking_values(std::vector<double>{.9, .6, .6, .1}, ClassSet{1, 3});
    EXPECT_EQ(values.coverage, 4);
    // 0 and 2 rank at least as high as 1, and both rank above 3
    EXPECT_EQ(values.ranking_loss, 1);
    EXPECT_DOUBLE_EQ(values.ranking_precision, (1.0 / 3 + 2.0 / 4) / 2);
    // There is no valid label, or no other label to rank against.
    const std::vector<double> row{.2, .7};
    const RankingValues none = ranking_values(row, {}), all = ranking_values(row, ClassSet{0, 1});
    EXPECT_EQ(none.coverage, 0);
    EXPECT_EQ(none.ranking_loss, 0);
    EXPECT_EQ(none.ranking_precision, 1);
    EXPECT_EQ(all.coverage, 2);
    EXPECT_EQ(all.ranking_loss, 0);
    EXPECT_EQ(all.ranking_precision, 1);
    // Two items of three classes have the labels {0} and {0, 1}. Predicted are {0, 2} and {0, 1}.
    MultilabelSums sums(3, true);
    sums.add_sets(0, ClassSet{0}, ClassSet{0, 2});
    sums.add_sets(1, ClassSet{0, 1}, ClassSet{0, 1});
    const auto f1 = [&](SetAverage average, std::uint32_t c = 0) {
        return *sums.score(SetScore::f1, average, c, .95).value;
    };
    EXPECT_DOUBLE_EQ(f1(SetAverage::micro), 6.0 / 7);
    EXPECT_DOUBLE_EQ(f1(SetAverage::macro), 2.0 / 3);  // the values are 1, 1 and 0
    EXPECT_DOUBLE_EQ(f1(SetAverage::weighted), 1);     // class 2 has no label
    EXPECT_DOUBLE_EQ(f1(SetAverage::one_class, 2), 0);
    EXPECT_DOUBLE_EQ(*sums.mean(ItemMean::f1, .95).value, (2.0 / 3 + 1) / 2);
    EXPECT_DOUBLE_EQ(*sums.mean(ItemMean::exact_match, .95).value, .5);
    EXPECT_DOUBLE_EQ(*sums.mean(ItemMean::hamming, .95).value, 1.0 / 6);
}

TEST(MultilabelSums, IntervalsKeepAWidthWhereAllItemsAgree) {
    for (const bool correct : {true, false}) {
        MultilabelSums sums(4, true), ranks(4, false);
        const ClassSet valid{1}, reached = correct ? valid : ClassSet{2};
        const std::vector<double> row{0, correct ? 1. : 0., correct ? 0. : 1., 0};
        for (std::uint16_t i = 0; i < 40; ++i) {
            sums.add_sets(i, valid, reached);
            ranks.add_ranking(i, ranking_values(row, valid));
        }
        const auto check = [&](const ResampledEstimate& found, const char* what) {
            ASSERT_TRUE(found.value && found.interval) << what;
            EXPECT_GT(found.interval->high - found.interval->low, .005) << what << correct;
            EXPECT_EQ(found.without.size(), 40U) << what;
        };
        for (const SetScore score : {SetScore::precision, SetScore::recall, SetScore::f1}) {
            for (const SetAverage average :
                 {SetAverage::micro, SetAverage::macro, SetAverage::weighted}) {
                const ResampledEstimate found = sums.score(score, average, 0, .95);
                if (found.value) check(found, "a score");
            }
            if (score == SetScore::recall)
                check(sums.score(score, SetAverage::one_class, 1, .95), "a class");
        }
        for (const ItemMean mean : {ItemMean::exact_match, ItemMean::hamming, ItemMean::f1})
            check(sums.mean(mean, .95), "a mean");
        for (const ItemMean mean :
             {ItemMean::coverage, ItemMean::ranking_loss, ItemMean::ranking_precision})
            check(ranks.mean(mean, .95), "a ranking");
    }
}

// The value over all groups except 0, from sums without that group.
TEST(MultilabelSums, ValuesWithoutAGroupAreThoseOfTheOthers) {
    RandomStream random(3, "groups");
    const Matrix m = drawn_matrix(random, 300, 5, 20);
    MultilabelSums all(5, true), rest(5, true);
    for (std::size_t i = 0; i < 300; ++i) {
        const auto g = static_cast<std::uint16_t>(i % group_count);
        all.add_sets(g, m.sets[i], m.reached(i, .5));
        if (g != 0) rest.add_sets(g, m.sets[i], m.reached(i, .5));
    }
    for (const SetAverage average : {SetAverage::micro, SetAverage::macro, SetAverage::weighted})
        EXPECT_EQ(all.score(SetScore::f1, average, 0, .95).without.at(0),
                  *rest.score(SetScore::f1, average, 0, .95).value);
    EXPECT_EQ(all.mean(ItemMean::f1, .95).without.at(0), *rest.mean(ItemMean::f1, .95).value);
}

}  // namespace
}  // namespace assay
