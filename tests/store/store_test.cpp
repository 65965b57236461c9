// Stored values are read back unchanged in each storage format.
#include "assay/store/prediction_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "assay/error.h"
#include "assay/store/row_reader.h"
#include "core/file.h"
#include "core/half.h"
#include "made_up.h"
#include "scratch.h"
#include "store/layout.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan_f = std::numeric_limits<float>::quiet_NaN();

PredictionStore written(const Scratch& scratch, const StoreSpec& spec) {
    StoreWriter writer = StoreWriter::open(scratch.path(), spec, made_up_dataset(spec.rows));
    write_missing_shards(writer);
    return PredictionStore::open(scratch / "val/net");
}

TEST(Store, FullRowsComeBackBitForBit) {
    for (const StorageFormat storage : {StorageFormat::full_f32, StorageFormat::full_f16}) {
        const Scratch scratch;
        const PredictionStore store = written(scratch, made_up_spec(34, storage));
        EXPECT_EQ(store.shards(), 4U);  // shards have 10, 10, 10 and 4 rows
        EXPECT_TRUE(store.complete());
        EXPECT_EQ(store.rows(), 34U);
        std::uint64_t rows = 0;
        for (std::size_t s = 0; s < store.shards(); ++s) {
            const PredictionStore::Shard shard = store.shard(s);
            EXPECT_EQ(shard.first_row, rows);
            rows += shard.rows;
            std::vector<float> out(std::size_t{shard.rows} * 7);
            shard.read_rows(0, shard.rows, out);
            for (std::uint32_t r = 0; r < shard.rows; ++r) {
                for (std::uint32_t c = 0; c < 7; ++c) {
                    const float got = out[r * 7 + c];
                    if (shard.first_row + r == 13) {
                        EXPECT_TRUE(std::isnan(got));
                    } else {
                        EXPECT_EQ(got, made_up_score(shard.first_row + r, c));
                    }
                    if (storage == StorageFormat::full_f32 && !std::isnan(got)) {
                        EXPECT_EQ(shard.f32()[r * 7 + c], got);
                    }
                }
            }
            if (storage == StorageFormat::full_f16) {
                EXPECT_TRUE(shard.f32().empty());
            }
        }
        EXPECT_EQ(rows, 34U);
    }
}

TEST(Store, BadRowsAreFacts) {
    const Scratch scratch;
    const PredictionStore store = written(scratch, made_up_spec(34));
    const PredictionStore::Shard shard = store.shard(1);
    EXPECT_EQ(shard.states()[3], RowState::unreadable);
    EXPECT_EQ(std::count(shard.states().begin(), shard.states().end(), RowState::ok), 9);
    ASSERT_EQ(shard.errors().size(), 1U);
    EXPECT_EQ(shard.errors()[0].row, 13U);
    EXPECT_EQ(shard.errors()[0].message, "cut off after 77 bytes");
    EXPECT_TRUE(store.shard(0).errors().empty());
}

TEST(Store, PartOfAShardIsRead) {
    const Scratch scratch;
    const PredictionStore store = written(scratch, made_up_spec(34, StorageFormat::full_f16));
    std::vector<float> out(14);
    store.shard(3).read_rows(1, 2, out);
    EXPECT_EQ(out[0], made_up_score(31, 0));
    EXPECT_EQ(out[13], made_up_score(32, 6));
    store.shard(3).read_rows(4, 0, {});
    EXPECT_THROW(store.shard(3).read_rows(3, 2, out), Error);           // the row is beyond the end
    EXPECT_THROW(store.shard(3).read_rows(UINT32_MAX, 2, out), Error);  // the number would wrap
    EXPECT_THROW(store.shard(3).read_rows(0, 1, out), Error);           // wrong size of buffer
    double lse = 0;
    EXPECT_THROW(store.shard(3).top(0, lse), Error);  // full rows have no best entries
}

TEST(Store, TheDataSetComesBack) {
    const Scratch scratch;
    const Dataset original = made_up_dataset(34);
    const PredictionStore store = written(scratch, made_up_spec(34));
    const Dataset& dataset = store.dataset();
    EXPECT_EQ(dataset.name, "val");
    EXPECT_TRUE(dataset.ids == original.ids);
    EXPECT_TRUE(dataset.labels == original.labels);
    EXPECT_TRUE(dataset.classes == original.classes);
    EXPECT_EQ(store.spec().ids_hash, original.ids_fingerprint());
    EXPECT_EQ(store.spec().provenance_json, R"({"command":"assay predict"})");
}

// The arrays next to items.csv have the same contents. Without them, as in older stores, items.csv
// is read.
TEST(Store, TheDataSetIsMappedOrReadFromItsCsvFile) {
    const Scratch scratch;
    const PredictionStore mapped = written(scratch, made_up_spec(34));
    const std::string columns = read_text(scratch / "val/items.columns");
    const auto expect_same = [&] {
        const PredictionStore again = PredictionStore::open(scratch / "val/net");
        EXPECT_TRUE(again.dataset().ids == mapped.dataset().ids);
        EXPECT_TRUE(again.dataset().paths == mapped.dataset().paths);
        EXPECT_TRUE(again.dataset().labels == mapped.dataset().labels);
        EXPECT_TRUE(again.dataset().classes == mapped.dataset().classes);
        EXPECT_EQ(again.dataset().name, "val");
        EXPECT_EQ(again.dataset().root, mapped.dataset().root);
    };
    write_file_atomically(scratch / "val/items.columns", "damaged");
    expect_same();
    std::filesystem::remove(scratch / "val/items.columns");
    expect_same();
    // The next writer of the data set writes the arrays again.
    StoreSpec spec = made_up_spec(34);
    for (const char* damage : {"missing", "damaged"}) {
        spec.model_name = damage;
        if (spec.model_name == "damaged")
            write_file_atomically(scratch / "val/items.columns", "damaged");
        written(scratch, spec);
        EXPECT_TRUE(read_text(scratch / "val/items.columns") == columns) << damage;
    }
    expect_same();
    // If they differ, the csv file is used.
    std::string items = read_text(scratch / "val/items.csv");
    items.back() = ' ';
    write_file_atomically(scratch / "val/items.csv", items);
    EXPECT_THROW(PredictionStore::open(scratch / "val/net").dataset(), Error);
}

// The scores of one row in a store with one shard, in the given form.
struct OneRow {
    Scratch scratch;
    PredictionStore store;
    OneRow(StorageFormat storage, std::uint32_t k, ScoreKind kind, const std::vector<float>& row)
        : store([&] {
              StoreSpec spec = made_up_spec(1, storage);
              spec.top_k = k;
              spec.kind = kind;
              spec.classes = static_cast<std::uint32_t>(row.size());
              Dataset dataset = made_up_dataset(1);
              dataset.classes = ClassList();
              StoreWriter writer = StoreWriter::open(scratch.path(), spec, dataset);
              writer.write_shard(0, row, std::vector<RowState>{RowState::ok}, {}, "");
              writer.finish();
              return PredictionStore::open(scratch / "val/net");
          }()) {}
};

TEST(Store, TopEntriesAreBestFirstAndTiesGoToTheLowerClass) {
    const OneRow row(StorageFormat::top_k, 4, ScoreKind::logits, {1, 3, -2, 3, 0, 1, 1});
    double lse = 0;
    const PredictionStore::Shard shard = row.store.shard(0);
    const std::span<const TopEntry> top = shard.top(0, lse);
    std::vector<std::int32_t> classes;
    for (const TopEntry& entry : top) classes.push_back(entry.cls);
    EXPECT_THAT(classes, ElementsAre(1, 3, 0, 5));
    EXPECT_EQ(top[0].score, 3.0F);
    EXPECT_EQ(top[3].score, 1.0F);
    // the value is log(2e^3 + 3e + 1 + e^-2)
    EXPECT_NEAR(lse, std::log(2 * std::exp(3.0) + 3 * std::exp(1.0) + 1 + std::exp(-2.0)), 1e-6);
    float single = 0;
    shard.top(0, single);
    EXPECT_EQ(single, static_cast<float>(lse));
}

TEST(Store, ProbabilitiesOfKeptClassesStayExact) {
    // 5 of 1000 classes are stored. The probabilities must equal the softmax over all classes,
    // computed in long double.
    std::vector<float> row;
    for (std::uint32_t c = 0; c < 1000; ++c) row.push_back(made_up_score(3, c));
    long double sum = 0;
    for (const float s : row) sum += std::exp(static_cast<long double>(s));
    const OneRow stored(StorageFormat::top_k, 5, ScoreKind::logits, row);
    double lse = 0;
    const PredictionStore::Shard shard = stored.store.shard(0);
    for (const TopEntry& entry : shard.top(0, lse)) {
        const auto expected =
            static_cast<double>(std::exp(static_cast<long double>(entry.score)) / sum);
        EXPECT_NEAR(std::exp(static_cast<double>(entry.score) - lse) / expected, 1.0, 1e-7);
    }
}

TEST(Store, LargeLogitsDoNotOverflow) {
    const OneRow stored(StorageFormat::top_k, 2, ScoreKind::logits, {3e38F, -3e38F, 3e38F});
    double lse = 0;
    const PredictionStore::Shard shard = stored.store.shard(0);
    EXPECT_EQ(shard.top(0, lse)[1].cls, 2);
    EXPECT_TRUE(std::isfinite(lse));
    EXPECT_EQ(lse, static_cast<double>(3e38F));  // log 2 is far below the rounding error
}

TEST(Store, ProbabilitiesHaveNothingToNormalise) {
    for (const ScoreKind kind : {ScoreKind::probabilities, ScoreKind::log_probabilities}) {
        const bool logs = kind == ScoreKind::log_probabilities;
        const OneRow stored(
            StorageFormat::top_k, 1, kind,
            logs ? std::vector<float>{-2.0F, -0.145F} : std::vector<float>{0.25F, 0.75F});
        double lse = 5;
        const PredictionStore::Shard shard = stored.store.shard(0);
        EXPECT_EQ(shard.top(0, lse)[0].cls, 1);
        EXPECT_EQ(lse, 0.0);
    }
}

TEST(Store, LabelsComeWithTheirProbability) {
    const auto label = [](ScoreKind kind, const std::vector<float>& scores) {
        const OneRow stored(StorageFormat::label, 0, kind, scores);
        double probability = 0;
        const PredictionStore::Shard shard = stored.store.shard(0);
        const std::span<const TopEntry> top = shard.top(0, probability);
        EXPECT_EQ(top.size(), 1U);
        EXPECT_EQ(static_cast<double>(top[0].score), probability);
        return std::pair(top[0].cls, probability);
    };
    // the value is e^2 / (e^2 + e^2 + 1) = 0.46831053...
    const auto [cls, p] = label(ScoreKind::logits, {0, 2, 2});
    EXPECT_EQ(cls, 1);
    EXPECT_NEAR(p, std::exp(2.0) / (2 * std::exp(2.0) + 1), 1e-7);
    EXPECT_EQ(label(ScoreKind::probabilities, {0.25F, 0.75F}), std::pair(1, 0.75));
    EXPECT_NEAR(label(ScoreKind::log_probabilities, {std::log(0.25F), std::log(0.75F)}).second,
                0.75, 1e-7);
}

TEST(Store, RowsThatAreNotFiniteAreFoundInEveryForm) {
    for (const StorageFormat storage : {StorageFormat::full_f32, StorageFormat::full_f16,
                                        StorageFormat::top_k, StorageFormat::label}) {
        SCOPED_TRACE(name_of(storage));
        const Scratch scratch;
        StoreSpec spec = made_up_spec(5, storage);
        StoreWriter writer = StoreWriter::open(scratch.path(), spec, made_up_dataset(5));
        std::vector<float> scores = made_up_scores(0, 5, 7);
        scores[1 * 7 + 2] = nan_f;
        scores[2 * 7 + 6] = inf;
        scores[3 * 7 + 0] = 70000;  // the largest half-precision number is 65504
        std::vector<RowState> states(5, RowState::ok);
        states[4] = RowState::unreadable;
        for (std::size_t c = 0; c < 7; ++c) scores[4 * 7 + c] = nan_f;
        writer.write_shard(0, scores, states,
                           std::vector<RowError>{{4, RowState::unreadable, "gone"}}, "");
        writer.finish();
        const PredictionStore store = PredictionStore::open(scratch / "val/net");
        const PredictionStore::Shard shard = store.shard(0);
        const RowState third =
            storage == StorageFormat::full_f16 ? RowState::not_finite : RowState::ok;
        EXPECT_THAT(shard.states(), ElementsAre(RowState::ok, RowState::not_finite,
                                                RowState::not_finite, third, RowState::unreadable));
        ASSERT_EQ(shard.errors().size(), storage == StorageFormat::full_f16 ? 4U : 3U);
        EXPECT_EQ(shard.errors()[0].row, 1U);
        EXPECT_EQ(shard.errors()[0].message, "the score of class 2 is nan");
        EXPECT_EQ(shard.errors()[1].message, "the score of class 6 is inf");
        EXPECT_EQ(shard.errors().back().message, "gone");
        if (storage == StorageFormat::top_k || storage == StorageFormat::label) {
            double lse = 0;
            EXPECT_EQ(shard.top(1, lse)[0].cls, -1);
            EXPECT_TRUE(std::isnan(lse));
        }
    }
}

TEST(Store, ALogitOfMinusInfinityIsAProbabilityOfZero) {
    for (const StorageFormat storage : {StorageFormat::full_f32, StorageFormat::full_f16,
                                        StorageFormat::top_k, StorageFormat::label}) {
        for (const ScoreKind kind :
             {ScoreKind::logits, ScoreKind::log_probabilities, ScoreKind::probabilities}) {
            SCOPED_TRACE(fmt::format("{} of {}", name_of(storage), name_of(kind)));
            const Scratch scratch;
            StoreSpec spec = made_up_spec(3, storage);
            spec.kind = kind;
            StoreWriter writer = StoreWriter::open(scratch.path(), spec, made_up_dataset(3));
            // Rows are masked to two classes of equal score or to no class, or have a number that
            // becomes -infinity in half precision.
            std::vector<float> scores(21, -inf);
            scores[1] = scores[4] = std::log(0.5F);
            std::fill(scores.begin() + 14, scores.end(), -1e9F);
            scores[16] = 0;
            writer.write_shard(0, scores, std::vector<RowState>(3, RowState::ok), {}, "");
            writer.finish();
            const PredictionStore store = PredictionStore::open(scratch / "val/net");
            const PredictionStore::Shard shard = store.shard(0);
            if (kind == ScoreKind::probabilities) {
                EXPECT_EQ(shard.errors().at(0).message, "the score of class 0 is -inf");
                continue;
            }
            EXPECT_THAT(shard.states(),
                        ElementsAre(RowState::ok, RowState::not_finite, RowState::ok));
            EXPECT_THAT(shard.errors().at(0).message, HasSubstr("no class has a score above"));
            const RowReader reader(store);
            RowPrediction row;
            const std::int32_t valid = 1;
            EXPECT_EQ(reader.read(0, {&valid, 1}, row), RowStatus::ok);
            EXPECT_EQ(row.predicted, 1);
            EXPECT_NEAR(row.confidence, 0.5, 1e-7);
            EXPECT_NEAR(row.target_probability, 0.5, 1e-7);
            EXPECT_EQ(reader.read(2, {&valid, 1}, row), RowStatus::ok);
            EXPECT_EQ(row.predicted, 2);
            EXPECT_EQ(row.confidence, 1);
            EXPECT_EQ(row.target_probability, 0);
            if (!reader.full()) continue;
            const std::int32_t masked = 0;
            EXPECT_EQ(reader.read(0, {&masked, 1}, row), RowStatus::ok);
            EXPECT_EQ(row.rank, 2);  // the first one of equals
            EXPECT_EQ(row.target_probability, 0);
            EXPECT_EQ(row.log_target, -inf);
            EXPECT_EQ(row.square_sum, 0.5);
            std::vector<float> all(7);
            reader.probabilities(0, 0, 7, row.scale, all.data());
            EXPECT_THAT(all, ElementsAre(0, 0.5F, 0, 0, 0.5F, 0, 0));
            // A row is read for only two masked classes.
            ClassMap map;
            map.name = "masked";
            map.targets = ClassList({"a", "b"});
            map.target_of = {0, -1, 1, -1, -1, -1, -1};
            map.decision = ClassMap::Decision::restrict_;
            const RowReader restricted(store, map);
            EXPECT_EQ(restricted.read(0, {&masked, 1}, row), RowStatus::ok);
            EXPECT_EQ(row.confidence, 0);
            EXPECT_EQ(row.target_probability, 0);
            EXPECT_EQ(row.square_sum, 0);
            EXPECT_FALSE(row.log_target >= -2000);
        }
    }
}

TEST(Store, HalvesRoundToNearest) {
    const OneRow stored(StorageFormat::full_f16, 0, ScoreKind::logits,
                        {1.0F / 3, 65519.9F, 1e-9F, -0.0F});
    std::vector<float> out(4);
    stored.store.shard(0).read_rows(0, 1, out);
    EXPECT_EQ(out[0], float_from_half(half_from_float(1.0F / 3)));
    EXPECT_EQ(out[1], 65504.0F);
    EXPECT_EQ(out[2], 0.0F);
    EXPECT_TRUE(std::signbit(out[3]));
}

TEST(Store, ShardSizeIsAFormula) {
    const auto chosen = [](std::uint32_t classes, std::uint32_t batch) {
        const Scratch scratch;
        StoreSpec spec = made_up_spec(3);
        spec.classes = classes;
        spec.shard_rows = 0;
        spec.batch_size = batch;
        Dataset dataset = made_up_dataset(3);
        dataset.classes = ClassList();
        return StoreWriter::open(scratch.path(), spec, dataset).spec().shard_rows;
    };
    EXPECT_EQ(chosen(1000, 0), 1024U);     // 2^20 floats / 1000 = 1048, rounded to 1024
    EXPECT_EQ(chosen(1000, 50), 1000U);    // a shard of 20 batches of 50
    EXPECT_EQ(chosen(1000, 3000), 3000U);  // a shard has at least one batch
    EXPECT_EQ(chosen(1, 0), 1U << 18);     // the rows are imported
    EXPECT_EQ(chosen(3'000'000, 0), 1U);
    EXPECT_EQ(chosen(3'000'000, 8), 8U);
}

TEST(Store, ManyThreadsWriteAndRead) {
    const Scratch scratch;
    StoreWriter writer = StoreWriter::open(scratch.path(), made_up_spec(395), made_up_dataset(395));
    std::atomic<std::size_t> next{0};
    const auto in_threads = [&](auto&& body) {
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t) threads.emplace_back(body);
        for (std::thread& t : threads) t.join();
    };
    in_threads([&] {
        for (std::size_t s = next++; s < writer.shards(); s = next++)
            write_made_up_shard(writer, s);
    });
    EXPECT_EQ(writer.missing(), 0U);
    writer.finish();
    const PredictionStore store = PredictionStore::open(scratch / "val/net");
    std::atomic<int> incorrect{0};
    in_threads([&] {  // all threads read all shards, and the data set
        if (store.dataset().size() != 395) ++incorrect;
        for (std::size_t s = 0; s < store.shards(); ++s) {
            const PredictionStore::Shard shard = store.shard(s);
            if (shard.f32()[6] != made_up_score(shard.first_row, 6)) ++incorrect;
        }
    });
    EXPECT_EQ(incorrect, 0);
}

TEST(Store, WritersRefuseWrongShards) {
    const Scratch scratch;
    StoreWriter writer = StoreWriter::open(scratch.path(), made_up_spec(34), made_up_dataset(34));
    const std::vector<float> scores = made_up_scores(0, 10, 7);
    const std::vector<RowState> states(10, RowState::ok);
    EXPECT_THROW(writer.write_shard(3, scores, states, {}, ""), Error);  // this store has four rows
    EXPECT_THROW(writer.write_shard(4, scores, states, {}, ""), Error);
    EXPECT_THROW(writer.write_shard(0, scores, states,
                                    std::vector<RowError>{{10, RowState::unreadable, "x"}}, ""),
                 Error);
    writer.write_shard(0, scores, states, {}, "");
    EXPECT_THAT(error_of([&] { writer.write_shard(0, scores, states, {}, ""); }).second,
                HasSubstr("passed twice"));
    EXPECT_THAT(error_of([&] { writer.finish(); }).second, HasSubstr("3 of 4 shards missing"));
}

TEST(Store, StrangeTextSurvives) {
    const Scratch scratch;
    StoreWriter writer = StoreWriter::open(scratch.path(), made_up_spec(5), made_up_dataset(5));
    const std::vector<RowState> states(5, RowState::unreadable);
    const std::vector<float> scores(35, 0);
    writer.write_shard(0, scores, states,
                       std::vector<RowError>{{2, RowState::unreadable, "not UTF-8: \xff\xfe \"\n"}},
                       "");
    writer.finish();
    EXPECT_THAT(PredictionStore::open(scratch / "val/net").shard(0).errors()[0].message,
                HasSubstr("not UTF-8: "));
}

TEST(Store, StoresAreFoundInOrder) {
    const Scratch scratch;
    for (const char* data : {"b", "a"}) {
        for (const char* model : {"y", "x"}) {
            StoreSpec spec = made_up_spec(5);
            spec.dataset_name = data;
            spec.model_name = model;
            StoreWriter::open(scratch.path(), spec, made_up_dataset(5));
        }
    }
    const auto names = [&](const std::filesystem::path& path) {
        std::vector<std::string> found;
        for (const auto& store : find_stores(path))
            found.push_back(store.lexically_relative(scratch.path()).string());
        return found;
    };
    EXPECT_THAT(names(scratch.path()), ElementsAre("a/x", "a/y", "b/x", "b/y"));
    EXPECT_THAT(names(scratch / "b"), ElementsAre("b/x", "b/y"));
    EXPECT_THAT(names(scratch / "a/y"), ElementsAre("a/y"));
    EXPECT_THAT(error_of([&] { find_stores(scratch / "a/y/shards"); }).second,
                HasSubstr("no prediction store in"));
    EXPECT_THAT(error_of([&] { find_stores(scratch / "nothing"); }).second,
                HasSubstr("not a folder"));
}

TEST(Store, ShardsWithoutAManifestAreAFault) {
    const Scratch scratch;
    {
        StoreWriter writer = StoreWriter::open(scratch.path(), made_up_spec(5), made_up_dataset(5));
        write_missing_shards(writer);
    }
    std::filesystem::create_directories(scratch / "val/other/shards");  // begun, but empty
    EXPECT_EQ(find_stores(scratch.path()).size(), 1U);
    put_text(scratch / "val/other/shards/000000.npy", "scores of something");
    const StoreFolders found = look_for_stores(scratch.path());
    EXPECT_EQ(found.stores.size(), 1U);
    ASSERT_EQ(found.faults.size(), 1U);
    EXPECT_EQ(found.faults[0].folder, scratch / "val/other");
    EXPECT_THAT(error_of([&] { find_stores(scratch.path()); }).second,
                ::testing::AllOf(HasSubstr("val/other` cannot be used"),
                                 ::testing::Not(HasSubstr("remove"))));
}

TEST(Store, NamesAreFolderNames) {
    for (const char* bad : {"", ".", "..", ".hidden", "a/b", "a\nb", "dataset.json", "items.csv"}) {
        EXPECT_THROW(check_folder_name("model", bad), Error) << bad;
        check_folder_name("model", folder_name_from(bad));
    }
    EXPECT_EQ(folder_name_from("timm/resnet50.a1_in1k"), "timm_resnet50.a1_in1k");
    EXPECT_EQ(folder_name_from("../../etc"), "_.._etc");
    check_folder_name("model", folder_name_from(std::string(5000, 'x')));
    EXPECT_THAT(error_of([] { check_folder_name("model", "a/b"); }).second,
                HasSubstr("`a_b` would do"));
    for (const StorageFormat storage : {StorageFormat::full_f32, StorageFormat::full_f16,
                                        StorageFormat::top_k, StorageFormat::label})
        EXPECT_EQ(storage_format_named(name_of(storage)), storage);
    EXPECT_THAT(error_of([] { storage_format_named("full_f17"); }).second,
                HasSubstr("did you mean `full_f16`?"));
}

TEST(Layout, ARecordIsKnownByItsName) {
    for (const std::size_t shard : {0UL, 7UL, 99'999UL, 999'999UL, 1'000'000UL, 123'456'789UL})
        EXPECT_EQ(store::shard_of_record(store::record_path("s", shard).filename().string()),
                  shard);
    for (const char* other :
         {"", ".json", "7.json", "00007.json", "0000007.json", "000007.npy", "000007.json.tmp",
          "00000x.json", "+00007.json", "-00007.json", " 00007.json", "99999999999999999999.json"})
        EXPECT_EQ(store::shard_of_record(other), std::nullopt) << other;
}

}  // namespace
}  // namespace assay
