// Adds metrics with other kinds of passes, in the same way as the built-in ones. Each is a row of
// the table and a pass. Scores, ranks and streams support them without further code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/error.h"
#include "assay/evaluate/score.h"
#include "assay/evaluate/streaming_score.h"
#include "assay/store/memory_store.h"
#include "core/random.h"
#include "message_of.h"
#include "metric/metric_rows.h"
#include "metric/pass.h"
#include "metric/row_mean_pass.h"

namespace assay {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr std::uint32_t classes = 7;
constexpr std::uint64_t rows = 5000;

/// Collects items by the rank of their label.
class RankCounts final : public Accumulator {
public:
    std::string key() const override { return "test.rank_counts"; }
    std::size_t slots() const override { return classes; }
    void update(std::span<std::int64_t> state, std::span<const RowFacts> facts) const override {
        for (const RowFacts& row : facts) {
            if (row.target >= 0) ++state[row.group * slots() + static_cast<std::size_t>(row.rank)];
        }
    }
};

/// A pass with its own state. Its value is neither a function of sums over a group nor of single
/// rows.
class MedianRankPass final : public MetricPass {
public:
    std::vector<std::unique_ptr<Accumulator>> accumulators(const MetricRequest&,
                                                           const MetricContext&) const override {
        std::vector<std::unique_ptr<Accumulator>> list;
        list.push_back(std::make_unique<RankCounts>());
        return list;
    }
    bool of_sums() const override { return true; }

    ResampledEstimate estimate(const MetricRequest&, PassRun& run) const override {
        const auto state = run.sums().state(RankCounts().key());
        std::vector<std::int64_t> all(classes);
        for (std::size_t k = 0; k < state.size(); ++k) all[k % classes] += state[k];
        ResampledEstimate result;
        result.n = items_of(all);
        if (result.n == 0) {
            result.undefined = "no item has a single label";
            return result;
        }
        result.value = median(all);
        for (std::size_t g = 0; g < group_count; ++g) {
            if (run.sums().group_sizes()[g] == 0) continue;
            std::vector<std::int64_t> rest = all;
            for (std::size_t k = 0; k < classes; ++k) rest[k] -= state[g * classes + k];
            result.without.push_back(median(rest));
        }
        return result;
    }

private:
    static std::uint64_t items_of(const std::vector<std::int64_t>& counts) {
        std::int64_t sum = 0;
        for (const std::int64_t count : counts) sum += count;
        return static_cast<std::uint64_t>(sum);
    }
    /// Returns 1 if the label has the highest score.
    static double median(const std::vector<std::int64_t>& counts) {
        const auto half = static_cast<std::int64_t>((items_of(counts) + 1) / 2);
        std::int64_t below = 0;
        std::size_t rank = 0;
        while ((below += counts[rank]) < half) ++rank;
        return static_cast<double>(rank + 1);
    }
};

/// Makes further passes over the rows after all rows were scored. It reads the probabilities of
/// every class, and keeps the largest probability of each class between requests.
struct LargestState final : PassState {
    std::vector<float> largest;
};
class LargestPass final : public MetricPass {
public:
    KeptItems keeps(const MetricRequest&, bool known) const override { return {known, false}; }

    ResampledEstimate estimate(const MetricRequest&, PassRun& run) const override {
        const PassRows& again = run.again();
        ResampledEstimate result;
        for (const std::uint64_t size : run.sums().group_sizes()) result.n += size;
        result.undefined = again.rows.lacking();
        if (!result.undefined.empty()) return result;
        std::vector<float>& largest = run.state<LargestState>().largest;
        if (largest.empty()) largest = largest_by_class(again);
        double sum = 0;
        for (const float p : largest) sum += static_cast<double>(p);
        result.value = sum / classes;
        result.no_interval = true;
        result.note = "no interval: it is of single items";
        return result;
    }

private:
    static std::vector<float> largest_by_class(const PassRows& again) {
        std::vector<float> own(classes, 0), row(classes);
        const auto [first, last] = again.own_items();
        for (std::uint64_t i = first; i < last; ++i) {
            again.rows.read(i, 1, 0, classes, row.data());
            for (std::size_t c = 0; c < classes; ++c) own[c] = std::max(own[c], row[c]);
        }
        std::vector<float> largest(classes, 0);
        for (const auto& part : all_gather<float>(again.comm, own)) {
            for (std::size_t c = 0; c < classes; ++c) largest[c] = std::max(largest[c], part[c]);
        }
        return largest;
    }
};

/// Returns the probability of the label. Items of class 0 are excluded.
void label_probabilities(const RowBatch& batch, std::span<double> values) {
    for (std::size_t i = 0; i < batch.rows; ++i) {
        const auto label = static_cast<std::size_t>(batch.labels[i]);
        values[i] = label == 0 ? std::numeric_limits<double>::quiet_NaN()
                               : static_cast<double>(batch.probabilities[i * classes + label]);
    }
}

/// The metrics are in the table for all tests of this program.
const bool added = [] {
    constexpr auto labels = static_cast<unsigned>(Needs::labels);
    add_metric({.name = "median_rank",
                .title = "Median rank of the label",
                .formula = "median over the items of 1 + the classes ranked before the label",
                .needs = labels,
                .higher_is_better = false,
                .low = 1,
                .high = 1000,
                .origin = "this test",
                .uncertainty = Uncertainty::jackknife,
                .pass = std::make_shared<MedianRankPass>(),
                .definition = [](const Parameters&) { return std::string("median_rank.lower"); },
                .by_default = false});
    add_metric({.name = "largest",
                .title = "Mean over classes of the largest probability",
                .formula = "mean over the classes of the largest probability of any item",
                .needs = labels | Needs::probabilities | Needs::full_rows,
                .origin = "this test",
                .uncertainty = Uncertainty::jackknife,
                .pass = std::make_shared<LargestPass>(),
                .definition = [](const Parameters&) { return std::string("largest.mean"); },
                .by_default = false});
    add_metric({.name = "label_probability",
                .title = "Mean probability of the label",
                .formula = "mean over the items whose label is not class 0",
                .needs = labels | Needs::probabilities | Needs::full_rows,
                .origin = "this test",
                .uncertainty = Uncertainty::jackknife,
                .pass = std::make_shared<RowMeanPass>(label_probabilities),
                .definition = [](const Parameters&) { return std::string("label_probability"); },
                .by_default = false});
    return true;
}();

struct Rows {
    std::vector<float> scores = std::vector<float>(rows * classes);
    std::vector<std::int32_t> labels = std::vector<std::int32_t>(rows);
    Rows() {
        RandomStream random(1, "kinds of metrics", 0);
        for (float& x : scores) x = static_cast<float>(3 * random.normal());
        for (std::size_t i = 0; i < rows; ++i)
            labels[i] = i % 11 == 3 ? -1 : static_cast<std::int32_t>(i * i % classes);
    }
    ScoreMatrix matrix(std::uint64_t first, std::uint64_t n) const {
        return {scores.data() + first * classes, NumberType::f4, n, classes, classes * 4, 4};
    }
    LabelSets sets(std::uint64_t first, std::uint64_t n) const {
        return LabelSets::from_single(std::span(labels).subspan(first, n));
    }
    /// Reads the scores directly.
    PredictionStore store() const {
        MemoryStoreOptions how;
        how.labels = sets(0, rows);
        return PredictionStore::in_memory(matrix(0, rows), how);
    }
};

ScoreReport scored(const PredictionStore& store, std::vector<std::string> metrics, Comm& comm,
                   int threads = 1) {
    MeasureOptions measure;
    measure.metrics = std::move(metrics);
    measure.threads = threads;
    return score_store(store, resolve(measure, store), comm);
}

TEST(KindsOfMetrics, ScoreAsksThePass) {
    ASSERT_TRUE(added);
    const Rows made;
    const ScoreReport report = scored(made.store(), {"median_rank,largest,top1"}, *self_comm());
    ASSERT_EQ(report.measurements.size(), 3U);
    // Computed by hand: the ranks of the labels are sorted, and the value is the one at place (n +
    // 1) / 2 of n.
    std::vector<std::size_t> ranks;
    double largest = 0;
    std::vector<double> of_class(classes, 0);
    for (std::size_t i = 0; i < rows; ++i) {
        if (made.labels[i] < 0) continue;
        const std::span row = std::span(made.scores).subspan(i * classes, classes);
        const float own = row[static_cast<std::size_t>(made.labels[i])];
        ranks.push_back(static_cast<std::size_t>(
            1 + std::count_if(row.begin(), row.end(), [&](float x) { return x > own; })));
        double sum = 0;
        for (const float x : row) sum += std::exp(static_cast<double>(x));
        for (std::size_t c = 0; c < classes; ++c)
            of_class[c] = std::max(of_class[c], std::exp(static_cast<double>(row[c])) / sum);
    }
    std::ranges::sort(ranks);
    for (const double p : of_class) largest += p / classes;
    const Measurement& median = report.measurements[0];
    EXPECT_EQ(median.n, ranks.size());
    EXPECT_EQ(median.value, static_cast<double>(ranks[(ranks.size() + 1) / 2 - 1]));
    EXPECT_EQ(median.key.definition, "median_rank.lower");
    // The median of these integers is the same without any one group.
    EXPECT_FALSE(median.interval);
    EXPECT_EQ(median.note, "no interval: the value is the same without any of the items");
    EXPECT_NEAR(*report.measurements[1].value, largest, 1e-6);
    EXPECT_EQ(report.measurements[1].n, ranks.size());
    EXPECT_EQ(report.measurements[1].note, "no interval: it is of single items");
}

TEST(KindsOfMetrics, TheSameBitsForThreadsAndRanks) {
    const Rows made;
    const PredictionStore store = made.store();
    const json one = to_json(scored(store, {"median_rank,largest,ece"}, *self_comm()));
    EXPECT_EQ(to_json(scored(store, {"median_rank,largest,ece"}, *self_comm(), 4)), one);
    for (const int ranks : {2, 7}) {
        run_thread_ranks(ranks, [&](Comm& comm) {
            if (to_json(scored(store, {"median_rank,largest,ece"}, comm)) != one)
                throw std::runtime_error("rank differs");
        });
    }
}

TEST(KindsOfMetrics, AFunctionOfRowsIsTheSameForThreadsAndRanks) {
    const Rows made;
    const PredictionStore store = made.store();
    double total = 0;
    std::uint64_t n = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        if (made.labels[i] < 1) continue;
        const std::span row = std::span(made.scores).subspan(i * classes, classes);
        double sum = 0;
        for (const float x : row) sum += std::exp(static_cast<double>(x));
        total += std::exp(static_cast<double>(row[static_cast<std::size_t>(made.labels[i])])) / sum;
        ++n;
    }
    const ScoreReport report = scored(store, {"label_probability"}, *self_comm());
    const Measurement& mean = report.measurements[0];
    EXPECT_NEAR(mean.value.value_or(-1), total / static_cast<double>(n), 1e-6);
    EXPECT_EQ(mean.n, n);
    EXPECT_TRUE(mean.interval);
    const json one = to_json(report);
    EXPECT_EQ(to_json(scored(store, {"label_probability"}, *self_comm(), 4)), one);
    for (const int ranks : {2, 7}) {
        run_thread_ranks(ranks, [&](Comm& comm) {
            if (to_json(scored(store, {"label_probability"}, comm)) != one)
                throw std::runtime_error("rank differs");
        });
    }
    StreamingOptions options;
    options.measure.metrics = {"label_probability"};
    EXPECT_THAT(message_of([&] { StreamingScore{options}; }, ErrorCode::usage),
                HasSubstr("label_probability need a second pass over all rows,"));
}

TEST(KindsOfMetrics, AStreamHasThoseOfSumsAndCarriesTheirState) {
    const Rows made;
    StreamingOptions options;
    options.measure.metrics = {"median_rank,top1"};
    StreamingScore first(options), second(options), third(options);
    constexpr std::uint64_t batch = 300;
    for (std::uint64_t begin = 0; begin < rows; begin += batch) {
        const std::uint64_t n = std::min(batch, rows - begin);
        const LabelSets labels = made.sets(begin, n);
        StreamingScore& to = begin < rows / 2 ? first : second;
        if (begin >= rows / 2 && to.rows() == 0) to.set_state(first.state());
        to.update(made.matrix(begin, n), &labels, nullptr);
    }
    const ScoreReport whole = scored(made.store(), {"median_rank,top1"}, *self_comm());
    const ScoreReport streamed = second.report();
    EXPECT_EQ(to_json(streamed).at("measurements"), to_json(whole).at("measurements"));
    third.merge(second);
    EXPECT_EQ(third.report().measurements[0].value, whole.measurements[0].value);

    options.measure.metrics = {"top1,largest"};
    EXPECT_THAT(
        message_of([&] { StreamingScore{options}; }, ErrorCode::usage),
        HasSubstr("largest need a second pass over all rows, which a stream does not keep"));
}

}  // namespace
}  // namespace assay
