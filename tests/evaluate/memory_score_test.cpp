// Scores in memory, at once or in batches, give the same results as from a file.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/evaluate/compare.h"
#include "assay/evaluate/score.h"
#include "assay/evaluate/streaming_score.h"
#include "assay/store/import.h"
#include "assay/store/memory_store.h"
#include "containers/npy.h"
#include "core/half.h"
#include "core/random.h"
#include "evaluate/streaming_state.h"
#include "message_of.h"
#include "scratch.h"

namespace assay {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr std::uint32_t classes = 7;

std::vector<float> made_scores(std::uint64_t rows, std::uint64_t seed = 1) {
    std::vector<float> scores(rows * classes);
    RandomStream random(seed, "memory scores", 0);
    for (float& x : scores) x = static_cast<float>(3 * random.normal());
    return scores;
}

std::vector<std::int32_t> made_labels(std::uint64_t rows) {
    std::vector<std::int32_t> labels(rows);
    for (std::uint64_t i = 0; i < rows; ++i)
        labels[i] = i % 11 == 3 ? -1 : static_cast<std::int32_t>(i * i % classes);
    return labels;
}

/// Every fourth row has one label, and the others have two to four.
LabelSets made_sets(std::uint64_t rows) {
    LabelSets sets;
    for (std::uint64_t i = 0; i < rows; ++i) {
        std::vector<std::int32_t> set;
        for (std::uint64_t k = 0; k <= i % 4; ++k)
            set.push_back(static_cast<std::int32_t>((i + 2 * k) % classes));
        sets.append(set);
    }
    return sets;
}

ScoreMatrix matrix_of(const std::vector<float>& scores, std::uint64_t first = 0,
                      std::uint64_t rows = UINT64_MAX) {
    rows = std::min<std::uint64_t>(rows, scores.size() / classes - first);
    return {scores.data() + first * classes, NumberType::f4, rows, classes, classes * 4, 4};
}

json scores_of(const PredictionStore& store, const MeasureOptions& measure = {}) {
    ScoreOptions options = resolve(measure, store);
    options.reliability = reliability_of(measure);
    json report = to_json(score_store(store, options, *self_comm()));
    report.erase("notes");
    return report;
}

/// A npy file of `bytes` is imported and scored.
json imported(const Scratch& scratch, const std::string& type, std::uint64_t rows,
              std::uint32_t columns, std::string_view bytes, const LabelSets& labels,
              const MeasureOptions& measure = {}) {
    const std::vector<std::uint64_t> shape =
        columns > 0 ? std::vector<std::uint64_t>{rows, columns} : std::vector<std::uint64_t>{rows};
    std::ofstream(scratch / "s.npy", std::ios::binary) << npy_header(type, shape) << bytes;
    std::ofstream items(scratch / "items.csv");
    items << "id,labels\n";
    for (std::uint64_t i = 0; i < rows; ++i) {
        items << i << ',';
        for (const std::int32_t c : labels[i]) items << c << ' ';
        items << '\n';
    }
    items.close();
    ImportOptions options;
    options.dataset_name = "data";
    options.model_name = "model";
    options.ids = scratch / "items.csv";
    options.class_count = classes;
    const ImportReport report =
        import_predictions(scratch / "s.npy", scratch / ("runs" + type.substr(1)), options);
    return scores_of(PredictionStore::open(report.store), measure);
}

std::string usage_of(const std::function<void()>& body) {
    return message_of(body, ErrorCode::usage);
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

TEST(MemoryStore, GivesTheNumbersOfAnImportedFileInEveryTypeAndLayout) {
    constexpr std::uint64_t rows = 700;
    std::vector<float> scores = made_scores(rows);
    for (float& x : scores) x = float_from_half(half_from_float(x));  // equal in every type
    scores[5 * classes + 2] = std::numeric_limits<float>::quiet_NaN();
    MemoryStoreOptions options;
    options.labels = LabelSets::from_single(made_labels(rows));
    const Scratch scratch;
    const json expected = imported(scratch, "<f4", rows, classes, bytes_of(scores), options.labels);
    EXPECT_EQ(expected.at("counts").at("not_finite"), 1);

    // The unchanged scores, rows in reverse, rows by columns, and every second column of wider
    // rows.
    std::vector<float> fortran(scores.size()), wide(2 * scores.size(), 9.0F),
        reversed(scores.size());
    for (std::uint64_t r = 0; r < rows; ++r) {
        for (std::uint32_t c = 0; c < classes; ++c) {
            const float x = scores[r * classes + c];
            fortran[c * rows + r] = x;
            wide[2 * (r * classes + c)] = x;
            reversed[(rows - 1 - r) * classes + c] = x;
        }
    }
    std::vector<double> doubles(scores.begin(), scores.end());
    constexpr std::int64_t width = classes * 4;
    for (const ScoreMatrix& m :
         {ScoreMatrix{scores.data(), NumberType::f4, rows, classes, width, 4},
          ScoreMatrix{fortran.data(), NumberType::f4, rows, classes, 4, rows * 4},
          ScoreMatrix{wide.data(), NumberType::f4, rows, classes, 2 * width, 8},
          ScoreMatrix{reversed.data() + (rows - 1) * classes, NumberType::f4, rows, classes, -width,
                      4},
          ScoreMatrix{doubles.data(), NumberType::f8, rows, classes, 2 * width, 8}}) {
        const PredictionStore store = PredictionStore::in_memory(m, options);
        EXPECT_EQ(scores_of(store), expected);
        EXPECT_EQ(store.makes_copies(), m.data != scores.data());
    }

    // bfloat16 has fewer bits, and float16 is stored unchanged.
    std::vector<std::uint16_t> brain, half;
    std::vector<float> rounded = scores;
    for (float& x : rounded) {
        const auto bits = std::bit_cast<std::uint32_t>(x) & 0xFFFF0000U;
        x = std::bit_cast<float>(bits);
        brain.push_back(static_cast<std::uint16_t>(bits >> 16U));
    }
    EXPECT_EQ(scores_of(PredictionStore::in_memory(
                  {brain.data(), NumberType::bf16, rows, classes, width / 2, 2}, options)),
              scores_of(PredictionStore::in_memory(matrix_of(rounded), options)));
    for (const float x : scores) half.push_back(half_from_float(x));
    const json halves = imported(scratch, "<f2", rows, classes, bytes_of(half), options.labels);
    EXPECT_EQ(halves.at("storage_format"), "full_f16");
    EXPECT_EQ(scores_of(PredictionStore::in_memory(
                  {half.data(), NumberType::f2, rows, classes, width / 2, 2}, options)),
              halves);
}

TEST(MemoryStore, OfPredictedClasses) {
    constexpr std::uint64_t rows = 300;
    std::vector<std::int64_t> predicted(rows);
    for (std::uint64_t i = 0; i < rows; ++i) predicted[i] = static_cast<std::int64_t>(i % classes);
    MemoryStoreOptions options;
    options.labels = LabelSets::from_single(made_labels(rows));
    options.class_count = classes;
    const ScoreMatrix m{predicted.data(), NumberType::i8, rows, 0, 8, 0};
    const Scratch scratch;
    EXPECT_EQ(scores_of(PredictionStore::in_memory(m, options)),
              imported(scratch, "<i8", rows, 0, bytes_of(predicted), options.labels));
    predicted[17] = classes;
    const PredictionStore store = PredictionStore::in_memory(m, options);
    EXPECT_THAT(message_of([&] { scores_of(store); }), HasSubstr("row 17 is 7; allowed: 0 to 6"));
}

TEST(MemoryStore, AreComparedByTheirIds) {
    constexpr std::uint64_t rows = 500;
    const std::vector<float> a = made_scores(rows), b = made_scores(rows, 2);
    MemoryStoreOptions options;
    options.labels = LabelSets::from_single(made_labels(rows));
    const PredictionStore first = PredictionStore::in_memory(matrix_of(a), options);
    options.model_name = "other";
    // The same items in a different order.
    std::vector<float> turned;
    std::vector<std::int32_t> labels = made_labels(rows);
    for (std::uint64_t i = rows; i-- > 0;) {
        options.ids.append(std::to_string(i));
        turned.insert(turned.end(), b.begin() + static_cast<std::ptrdiff_t>(i * classes),
                      b.begin() + static_cast<std::ptrdiff_t>((i + 1) * classes));
    }
    std::ranges::reverse(labels);
    options.labels = LabelSets::from_single(labels);
    const PredictionStore second = PredictionStore::in_memory(matrix_of(turned), options);
    const PredictionStore* const candidates[] = {&second};
    CompareOptions how;
    how.score = resolve({}, first);
    const auto pairs = compare_stores(first, candidates, how, *self_comm());
    ASSERT_EQ(pairs.size(), 1U);
    EXPECT_EQ(pairs[0].items, rows);
    const json alone = scores_of(second);
    EXPECT_EQ(*pairs[0].metrics[0].candidate.value, alone.at("measurements")[0].at("value"));
}

TEST(MemoryStore, SaysWhatIsWrong) {
    const std::vector<float> scores = made_scores(20);
    std::vector<std::int64_t> whole(20 * classes, 1);
    const auto refused = [](const ScoreMatrix& m, const MemoryStoreOptions& options) {
        return message_of([&] { PredictionStore::in_memory(m, options); });
    };
    const auto misused = [](const ScoreMatrix& m, const MemoryStoreOptions& options) {
        return usage_of([&] { PredictionStore::in_memory(m, options); });
    };
    ScoreMatrix none = matrix_of(scores);
    none.rows = 0;
    EXPECT_THAT(misused(none, {}), HasSubstr("no rows"));
    EXPECT_THAT(misused({whole.data(), NumberType::i8, 20, classes, classes * 8, 8}, {}),
                HasSubstr("a matrix of <i8 numbers"));
    EXPECT_THAT(misused({scores.data(), NumberType::f4, 20, 0, 4, 0}, {}),
                HasSubstr("pass whole numbers as predicted classes"));
    EXPECT_THAT(misused({whole.data(), NumberType::i8, 20, 0, 8, 0}, {}),
                HasSubstr("pass the number of classes"));
    MemoryStoreOptions options;
    options.labels = LabelSets::from_single(made_labels(19));
    EXPECT_THAT(refused(matrix_of(scores), options), HasSubstr("19 labels for 20 items"));
    options = {};
    for (int i = 0; i < 20; ++i) options.ids.append(i == 9 ? "4" : std::to_string(i));
    EXPECT_THAT(refused(matrix_of(scores), options),
                HasSubstr("items 4 and 9 have the same id `4`"));
    options = {};
    options.class_count = 8;
    EXPECT_THAT(refused(matrix_of(scores), options), HasSubstr("8 classes were given"));
    options = {};
    options.model_name = "a/b";
    EXPECT_THAT(refused(matrix_of(scores), options), HasSubstr("a_b"));
    std::vector<float> mixed(20 * classes, 1.0F / classes);  // all rows are probabilities
    mixed[19 * classes] = 0.9F;                              // except for the last row
    EXPECT_THAT(refused(matrix_of(mixed), {}), HasSubstr("the kind of scores is not clear"));
    options = {};
    options.labels = LabelSets::from_single(std::vector<std::int32_t>(20, classes));
    const PredictionStore store = PredictionStore::in_memory(matrix_of(scores), options);
    EXPECT_THAT(message_of([&] { scores_of(store); }), HasSubstr("outside the 7 classes"));
}

// ---- batches ----

struct Labels {
    std::vector<std::int32_t> single;
    LabelSets sets;
};

void stream(StreamingScore& to, const std::vector<float>& scores, const Labels& labels,
            std::uint64_t batch, std::uint64_t begin = 0, std::uint64_t end = UINT64_MAX) {
    end = std::min<std::uint64_t>(end, scores.size() / classes);
    for (std::uint64_t first = begin; first < end; first += batch) {
        const std::uint64_t n = std::min(batch, end - first);
        LabelSets single, sets;
        for (std::uint64_t i = first; i < first + n; ++i) {
            if (!labels.single.empty())
                single.append(std::span(&labels.single[i], labels.single[i] < 0 ? 0 : 1));
            if (labels.sets.size() > 0) sets.append(labels.sets[i]);
        }
        to.update(matrix_of(scores, first, n), labels.single.empty() ? nullptr : &single,
                  labels.sets.size() > 0 ? &sets : nullptr);
    }
}

json result_of(const StreamingScore& stream) {
    json report = to_json(stream.report());
    report.erase("notes");
    return report;
}

TEST(StreamingScore, GivesTheBitsOfAllRowsAtOnce) {
    for (const std::uint64_t rows : {1U, 100U, 129U, 2048U, 5000U}) {
        std::vector<float> scores = made_scores(rows);
        if (rows > 200) scores[150 * classes] = std::numeric_limits<float>::infinity();
        for (const bool sets : {false, true}) {
            SCOPED_TRACE(fmt::format("{} rows, sets {}", rows, sets));
            MeasureOptions measure;
            measure.metrics = {"top1,top5,nll,brier,ece,ece:bins=7,confidence"};
            if (sets) measure.metrics.emplace_back("real,asma,subgroup_accuracy");
            Labels labels{made_labels(rows), sets ? made_sets(rows) : LabelSets()};
            MemoryStoreOptions how;
            how.labels = LabelSets::from_single(labels.single);
            MeasureOptions whole = measure;
            if (sets) whole.label_sets = labels.sets;
            const json expected =
                scores_of(PredictionStore::in_memory(matrix_of(scores), how), whole);
            for (const std::uint64_t batch : {1U, 64U, 1000U, 4096U}) {
                if (rows / batch > 600) continue;
                StreamingOptions options;
                options.measure = measure;
                options.reliability = true;
                options.confusions = 20;
                StreamingScore streaming(options);
                stream(streaming, scores, labels, batch);
                EXPECT_EQ(streaming.rows(), rows);
                EXPECT_EQ(result_of(streaming), expected) << "batch " << batch;
                EXPECT_EQ(result_of(streaming), expected);  // a report changes nothing
            }
        }
    }
}

TEST(StreamingScore, OfLabelSetsAlone) {
    constexpr std::uint64_t rows = 600;
    const std::vector<float> scores = made_scores(rows);
    MeasureOptions measure;
    measure.metrics = {"top1,real,asma"};
    MemoryStoreOptions how;
    how.labels = made_sets(rows);
    StreamingOptions options;
    options.measure = measure;
    options.confusions = 20;
    options.reliability = true;
    StreamingScore streaming(options);
    stream(streaming, scores, {{}, how.labels}, 77);
    EXPECT_EQ(result_of(streaming),
              scores_of(PredictionStore::in_memory(matrix_of(scores), how), measure));
}

// Anybody can write another state with a valid checksum, so its other bytes are tested, too.
// The header and the waiting rows are at the ends. The sums between them are similar, so a sample
// of their bytes is enough.
TEST(StreamingScore, AStateWithAByteChangedIsRefusedOrMeasured) {
    constexpr std::uint64_t rows = 12;
    const std::vector<float> scores = made_scores(rows);
    const LabelSets sets = made_sets(rows);
    StreamingOptions options;
    options.measure.metrics = {"real,asma,nll"};
    StreamingScore made(options);
    stream(made, scores, {{}, sets}, rows);
    const std::string body = opened_state(made.state());
    std::size_t refused = 0, measured = 0, hits = 0;
    constexpr std::size_t end = 400;
    for (std::size_t at = 0; at < body.size(); ++at) {
        const bool inside = at >= end && at + end < body.size();
        if (inside && at % 4001 != 0) continue;
        for (const char other : {'\x00', '\x02', '\x0c', '\x7f'}) {
            std::string changed = body;
            changed[at] = other;
            StreamingScore read(options);
            try {
                read.set_state(sealed_state(changed));
                (void)read.report();
                ++measured;
            } catch (const Error& error) {
                EXPECT_THAT(error.code(), AnyOf(ErrorCode::bad_input, ErrorCode::usage));
                ++refused;
                hits += error.message().find("more valid classes found") != std::string::npos;
            }
        }
    }
    EXPECT_GT(measured, 0U);
    EXPECT_GT(refused, 0U);
    EXPECT_GT(hits, 0U);
}

TEST(StreamingScore, MergedHasTheValuesOfOne) {
    constexpr std::uint64_t rows = 3000;
    const std::vector<float> scores = made_scores(rows);
    const Labels labels{made_labels(rows), {}};
    StreamingScore all({}), first({}), second({}), none({});
    stream(all, scores, labels, 100);
    stream(first, scores, labels, 100, 0, 1300);
    stream(second, scores, labels, 100, 1300, 2500);
    first.merge(second);
    first.merge(none);
    none.merge(first);
    for (StreamingScore* merged : {&first, &none}) {
        stream(*merged, scores, labels, 100, 2500);
        const ScoreReport got = merged->report(), expected = all.report();
        ASSERT_EQ(got.measurements.size(), expected.measurements.size());
        ASSERT_GT(got.measurements.size(), 4U);
        for (std::size_t i = 0; i < got.measurements.size(); ++i) {
            const Measurement &a = got.measurements[i], &b = expected.measurements[i];
            EXPECT_EQ(a.value, b.value) << a.key.metric;
            EXPECT_EQ(a.n, b.n);
            ASSERT_EQ(a.interval.has_value(), b.interval.has_value());
            if (!a.interval) continue;
            const double width = b.interval->high - b.interval->low;
            EXPECT_NEAR((a.interval->high - a.interval->low) / width, 1, 0.35) << a.key.metric;
        }
        EXPECT_EQ(got.confusions, expected.confusions);
    }
    EXPECT_EQ(first.rows(), rows);
    EXPECT_THAT(usage_of([&] { first.merge(first); }), HasSubstr("itself"));
    StreamingOptions others;
    others.measure.metrics = {"top1"};
    StreamingScore other(others);
    stream(other, scores, labels, 100);
    EXPECT_THAT(usage_of([&] { first.merge(other); }), HasSubstr("cannot be added"));
    first.reset();
    EXPECT_EQ(first.rows(), 0U);
    stream(first, scores, labels, 100);
    EXPECT_EQ(result_of(first), result_of(all));
}

TEST(StreamingScore, SaysWhatIsWrongAndGoesOn) {
    const std::vector<float> scores = made_scores(64);
    StreamingOptions options;
    options.measure.metrics = {"top1,ace"};
    EXPECT_THAT(usage_of([&] { StreamingScore bad(options); }),
                HasSubstr("ace need a second pass over all rows,"));
    options.measure.metrics = {"top1,topp"};
    EXPECT_THAT(usage_of([&] { StreamingScore bad(options); }), HasSubstr("topp"));
    StreamingScore streaming({});
    EXPECT_THAT(usage_of([&] { static_cast<void>(streaming.report()); }),
                HasSubstr("no batch yet"));
    const Labels good{made_labels(64), {}};
    stream(streaming, scores, good, 32);
    const json before = result_of(streaming);
    Labels bad = good;
    bad.single[40] = 99;
    EXPECT_THAT(message_of([&] { stream(streaming, scores, bad, 64); }), HasSubstr("99"));
    EXPECT_THAT(usage_of([&] {
                    stream(streaming, scores, {{}, made_sets(64)}, 64);
                }),
                HasSubstr("same form as the first"));
    std::vector<float> narrow(64 * 3);
    EXPECT_THAT(
        message_of([&] {
            const LabelSets labels = LabelSets::from_single(good.single);
            streaming.update({narrow.data(), NumberType::f4, 64, 3, 12, 4}, &labels, nullptr);
        }),
        HasSubstr("7 classes"));
    EXPECT_EQ(result_of(streaming), before);  // nothing of these batches was added
    const ScoreReport report = streaming.report();
    EXPECT_THAT(report.notes, testing::Contains(HasSubstr("ace")));
}

}  // namespace
}  // namespace assay
