// Compares the row reader with a plain implementation in double precision, for every storage
// format, kind of score, class map and order of the classes.
#include "assay/store/row_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include <fmt/format.h>

#include "assay/error.h"
#include "core/half.h"
#include "core/random.h"
#include "scratch.h"

namespace assay {
namespace {

using ::testing::HasSubstr;
using Decision = ClassMap::Decision;

constexpr std::size_t class_count = 8, row_count = 60;
constexpr std::uint32_t shard_rows = 16, kept_classes = 3;

/// Rows with many ties. Probabilities are powers of two that sum to 1.
std::vector<float> tied_scores(ScoreKind kind) {
    const std::vector<float> parts = {.25F, .25F, .125F, .125F, .125F, .0625F, .03125F, .03125F};
    RandomStream random(7, "rows");
    std::vector<float> scores;
    for (std::size_t r = 0; r < row_count; ++r) {
        std::vector<float> row = parts;
        for (std::size_t c = class_count; c > 1; --c) std::swap(row[c - 1], row[random.below(c)]);
        for (float& x : row) {
            if (kind == ScoreKind::log_probabilities) x = std::log(x);
            if (kind == ScoreKind::logits) x = static_cast<float>(random.below(12)) / 4 - 1;
        }
        scores.insert(scores.end(), row.begin(), row.end());
    }
    return scores;
}

struct Stored {
    std::vector<float> scores;  ///< values in the store's rounding
    StoreSpec spec;
    std::filesystem::path folder;
};

RowState state_of(std::uint64_t row) {
    return row == 5 ? RowState::unreadable : row == 6 ? RowState::not_finite : RowState::ok;
}

Stored save(const Scratch& scratch, StorageFormat storage, ScoreKind kind,
            std::size_t without_shard = 99) {
    Dataset dataset;
    dataset.name = "val";
    for (std::size_t i = 0; i < row_count; ++i) {
        dataset.ids.append(fmt::format("item{}", i));
        dataset.labels.append({});
    }
    dataset.classes = numbered_classes(class_count);
    Stored made{tied_scores(kind), {}, {}};
    made.spec.dataset_name = "val";
    made.spec.model_name = fmt::format("{}-{}", name_of(storage), name_of(kind));
    made.spec.rows = row_count;
    made.spec.classes = class_count;
    made.spec.kind = kind;
    made.spec.storage = storage;
    made.spec.top_k = storage == StorageFormat::top_k ? kept_classes : 0;
    made.spec.shard_rows = shard_rows;
    made.spec.ids_hash = dataset.ids_fingerprint();
    made.spec.model_hash = "xxh128:00000000000000000000000000000001";
    made.spec.provenance_json = "{}";
    StoreWriter writer = StoreWriter::open(scratch.path(), made.spec, dataset);
    for (std::size_t s = 0; s < writer.shards(); ++s) {
        if (s == without_shard) continue;
        const auto first = static_cast<std::size_t>(writer.first_row(s)),
                   n = std::size_t{writer.rows_in(s)};
        std::vector<RowState> states;
        std::vector<RowError> errors;
        for (std::size_t i = first; i < first + n; ++i) {
            states.push_back(state_of(i));
            if (state_of(i) != RowState::ok) errors.push_back({i, state_of(i), "made up"});
        }
        writer.write_shard(s, std::span(made.scores).subspan(first * class_count, n * class_count),
                           states, errors, "");
    }
    if (without_shard == 99) writer.finish();
    made.folder = writer.folder();
    if (storage == StorageFormat::full_f16) {
        for (float& x : made.scores) x = float_from_half(half_from_float(x));
    }
    return made;
}

ClassMap map_by(Decision decision) {
    ClassMap map;
    map.name = "made up";
    map.decision = decision;
    map.targets = decision == Decision::restrict_ ? numbered_classes(5) : numbered_classes(3);
    map.target_of = decision == Decision::restrict_
                        ? std::vector<std::int32_t>{0, -1, 3, 1, -1, 2, 4, -1}
                        : std::vector<std::int32_t>{0, -1, 1, 1, 2, 0, 2, 0};
    return map;
}

std::vector<double> softmax(const std::vector<double>& scores) {
    double sum = 0;
    for (const double x : scores) sum += std::exp(x);
    std::vector<double> p;
    for (const double x : scores) p.push_back(static_cast<float>(std::exp(x) / sum));
    return p;
}

std::vector<std::int32_t> order_of(const std::vector<double>& scores) {
    std::vector<std::int32_t> order(scores.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
    });
    return order;
}

/// The classes of a row whose rank is known, best first, with their probabilities.
std::vector<RankedClass> plain_ranking(const Stored& made, std::size_t row,
                                       const std::optional<ClassMap>& map,
                                       const std::vector<std::int32_t>& places) {
    const auto at = made.scores.begin() + static_cast<std::ptrdiff_t>(row * class_count);
    const std::vector<double> stored(at, at + class_count);
    const bool plain = made.spec.kind == ScoreKind::probabilities;
    const std::vector<double> p = plain ? stored : softmax(stored);
    std::vector<std::int32_t> place = places, number(class_count);
    if (place.empty()) {
        place.resize(class_count);
        std::iota(place.begin(), place.end(), 0);
    }
    for (std::size_t c = 0; c < class_count; ++c)
        number[static_cast<std::size_t>(place[c])] = static_cast<std::int32_t>(c);

    std::vector<double> asked, asked_p;
    for (const std::int32_t c : place) {
        asked.push_back(stored[static_cast<std::size_t>(c)]);
        asked_p.push_back(p[static_cast<std::size_t>(c)]);
    }
    const bool full = made.spec.storage == StorageFormat::full_f32 ||
                      made.spec.storage == StorageFormat::full_f16;
    std::vector<RankedClass> list;
    const auto add = [&](std::int32_t c, double probability) {
        list.push_back({c, static_cast<float>(probability)});
    };
    if (!full) {
        const std::size_t k = made.spec.storage == StorageFormat::label ? 1 : kept_classes;
        for (const std::int32_t c : order_of(stored)) {
            if (list.size() < k)
                add(number[static_cast<std::size_t>(c)], p[static_cast<std::size_t>(c)]);
        }
    } else if (!map || map->decision == Decision::map_argmax) {
        for (const std::int32_t c : order_of(asked)) add(c, asked_p[static_cast<std::size_t>(c)]);
    } else {
        std::vector<std::vector<double>> members(map->targets.size());
        for (std::size_t c = 0; c < class_count; ++c) {
            const std::int32_t t = map->target_of[c];
            if (t < 0) continue;
            members[static_cast<std::size_t>(t)].push_back(
                map->decision == Decision::restrict_ ? asked[c] : asked_p[c]);
        }
        std::vector<double> scores;
        for (const auto& group : members) {
            scores.push_back(static_cast<float>(std::accumulate(group.begin(), group.end(), 0.0) /
                                                static_cast<double>(group.size())));
        }
        std::vector<double> probability = scores;
        if (map->decision == Decision::restrict_) {
            const double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
            if (plain) {
                for (double& x : probability) x /= sum;
            } else {
                probability = softmax(scores);
            }
        }
        for (const std::int32_t t : order_of(scores))
            add(t, probability[static_cast<std::size_t>(t)]);
    }
    if (map && map->decision == Decision::map_argmax) {
        list.resize(1);
        list[0].cls = map->target_of[static_cast<std::size_t>(list[0].cls)];
        if (list[0].cls < 0) list.clear();
    }
    return list;
}

void expect_row(const RowReader& reader, const Stored& made, std::size_t row,
                const std::optional<ClassMap>& map, const std::vector<std::int32_t>& places) {
    const std::vector<RankedClass> known = plain_ranking(made, row, map, places);
    const bool decides = map && map->decision == Decision::map_argmax;
    const auto rank_of = [&](std::int32_t c) {
        const auto found =
            std::find_if(known.begin(), known.end(), [&](const auto& k) { return k.cls == c; });
        return found == known.end() ? -1 : static_cast<std::int32_t>(found - known.begin());
    };
    std::vector<RankedClass> top;
    ASSERT_EQ(reader.top(row, 100, top), RowStatus::ok);
    ASSERT_EQ(top.size(), known.size());
    for (std::size_t i = 0; i < top.size(); ++i) {
        EXPECT_EQ(top[i].cls, known[i].cls);
        EXPECT_NEAR(top[i].probability, known[i].probability, 1e-6);
    }
    ASSERT_EQ(reader.top(row, 2, top), RowStatus::ok);
    EXPECT_EQ(top.size(), std::min<std::size_t>(2, known.size()));
    const auto classes = static_cast<std::int32_t>(reader.classes());
    for (std::int32_t c = 0; c < classes; ++c) {
        const auto place = reader.place_of(row, c);
        ASSERT_EQ(place.has_value(), rank_of(c) >= 0);
        if (!place) continue;
        EXPECT_EQ(static_cast<std::int32_t>(place->rank), rank_of(c));
        EXPECT_NEAR(place->probability, known[place->rank].probability, 1e-6);
    }
    EXPECT_FALSE(reader.place_of(row, classes).has_value());

    std::vector<std::vector<std::int32_t>> sets = {{}, {0, 2}, {0, 1, 2}};
    for (std::int32_t c = 0; c < classes; ++c) sets.push_back({c});
    if (classes >= 5) sets.push_back({0, 1, 2, 3, 4});  // more than a reduced row keeps
    for (const auto& valid : sets) {
        RowPrediction read;
        ASSERT_EQ(reader.read(row, valid, read), RowStatus::ok);
        EXPECT_EQ(read.predicted, known.empty() ? -1 : known[0].cls);
        const std::int32_t target = valid.size() == 1 ? valid[0] : -1;
        const std::int32_t rank = target < 0 ? -1 : rank_of(target);
        EXPECT_EQ(read.rank, rank);
        std::int32_t hits = -1;
        if (decides) {
            if (target >= 0) hits = rank == 0 ? 1 : 0;
        } else if (!valid.empty() && valid.size() <= known.size()) {
            hits = 0;
            for (const std::int32_t c : valid)
                hits += rank_of(c) >= 0 && rank_of(c) < static_cast<std::int32_t>(valid.size());
        }
        EXPECT_EQ(read.hits, hits);
        EXPECT_EQ(read.target_known, reader.has_probabilities() && rank >= 0);
        if (read.target_known) {
            const double p = known[static_cast<std::size_t>(rank)].probability;
            EXPECT_NEAR(read.target_probability, p, 1e-6);
            EXPECT_NEAR(read.log_target, std::log(p), 1e-5);
        }
        if (reader.has_probabilities()) {
            EXPECT_NEAR(read.confidence, known[0].probability, 1e-6);
        }
        RowPrediction ranked;
        ASSERT_EQ(reader.read(row, valid, ranked, RowReader::Detail::ranking), RowStatus::ok);
        EXPECT_EQ(ranked.predicted, read.predicted);
        EXPECT_EQ(ranked.rank, read.rank);
        EXPECT_EQ(ranked.hits, read.hits);
        if (!reader.full() || !reader.has_probabilities()) continue;
        double squares = 0;
        for (const RankedClass& k : known)
            squares += static_cast<double>(k.probability) * static_cast<double>(k.probability);
        EXPECT_NEAR(read.square_sum, squares, 1e-6);
        std::vector<float> part(reader.classes() - 2);
        reader.probabilities(row, 1, reader.classes() - 1, read.scale, part.data());
        for (std::size_t i = 0; i < part.size(); ++i) {
            const auto at = static_cast<std::size_t>(rank_of(static_cast<std::int32_t>(i) + 1));
            EXPECT_NEAR(part[i], known[at].probability, 1e-6);
        }
    }
}

TEST(RowReader, EveryFormatKindMapAndOrderAgainstThePlainDefinition) {
    const std::vector<std::vector<std::int32_t>> orders = {{}, {3, 0, 7, 1, 6, 2, 5, 4}};
    const std::vector<std::optional<ClassMap>> maps = {std::nullopt, map_by(Decision::restrict_),
                                                       map_by(Decision::mean_of_group),
                                                       map_by(Decision::map_argmax)};
    for (const StorageFormat storage : {StorageFormat::full_f32, StorageFormat::full_f16,
                                        StorageFormat::top_k, StorageFormat::label}) {
        for (const ScoreKind kind :
             {ScoreKind::logits, ScoreKind::probabilities, ScoreKind::log_probabilities}) {
            const Scratch scratch;
            const Stored made = save(scratch, storage, kind);
            const PredictionStore store = PredictionStore::open(made.folder);
            for (const auto& map : maps) {
                for (const auto& places : orders) {
                    SCOPED_TRACE(fmt::format("{} map {} order {}", made.spec.model_name,
                                             map ? static_cast<int>(map->decision) : -1,
                                             places.size()));
                    const bool full =
                        storage == StorageFormat::full_f32 || storage == StorageFormat::full_f16;
                    if (!full && map && map->decision != Decision::map_argmax) {
                        EXPECT_THROW(RowReader(store, map, places), Error);
                        continue;
                    }
                    const RowReader reader(store, map, places);
                    EXPECT_EQ(reader.full(), full);
                    EXPECT_EQ(reader.depth(), map && map->decision == Decision::map_argmax ? 1U
                                              : full                            ? reader.classes()
                                              : storage == StorageFormat::top_k ? kept_classes
                                                                                : 1U);
                    for (std::size_t row = 0; row < row_count; ++row) {
                        if (state_of(row) == RowState::ok)
                            expect_row(reader, made, row, map, places);
                        if (HasFailure()) return;
                    }
                }
            }
        }
    }
}

TEST(RowReader, LogSumExpWhereItIsKnown) {
    for (const StorageFormat storage :
         {StorageFormat::full_f32, StorageFormat::top_k, StorageFormat::label}) {
        const Scratch scratch;
        const Stored made = save(scratch, storage, ScoreKind::logits);
        const PredictionStore store = PredictionStore::open(made.folder);
        const RowReader reader(store);
        double sum = 0;
        for (std::size_t c = 0; c < class_count; ++c)
            sum += std::exp(static_cast<double>(made.scores[3 * class_count + c]));
        const auto value = reader.log_sum_exp(3);
        ASSERT_EQ(value.has_value(), storage != StorageFormat::label);
        if (value) {
            EXPECT_NEAR(*value, std::log(sum), 1e-6);
        }
        EXPECT_FALSE(reader.log_sum_exp(5).has_value());
    }
    const Scratch scratch;
    const PredictionStore store = PredictionStore::open(
        save(scratch, StorageFormat::full_f32, ScoreKind::probabilities).folder);
    EXPECT_EQ(RowReader(store).log_sum_exp(3), 0.0);
}

TEST(RowReader, RowsWithoutScoresSayWhy) {
    const Scratch scratch;
    const PredictionStore store =
        PredictionStore::open(save(scratch, StorageFormat::full_f32, ScoreKind::logits, 1).folder);
    const RowReader reader(store);
    EXPECT_EQ(reader.status(0), RowStatus::ok);
    EXPECT_EQ(reader.why_not(0), "");
    EXPECT_EQ(reader.status(5), RowStatus::unreadable);
    EXPECT_EQ(reader.why_not(5), "unreadable: made up");
    EXPECT_EQ(reader.why_not(6), "scores are not finite: made up");
    EXPECT_EQ(reader.status(shard_rows), RowStatus::missing);
    EXPECT_EQ(reader.why_not(shard_rows), "not scored yet");
    EXPECT_EQ(reader.shard(1), nullptr);
    EXPECT_EQ(reader.status(2 * shard_rows), RowStatus::ok);
    // Reading such a row clears the values of the previous row.
    RowPrediction read;
    std::vector<RankedClass> top;
    const std::vector<std::int32_t> valid = {1};
    ASSERT_EQ(reader.read(0, valid, read), RowStatus::ok);
    for (const std::uint64_t row : {std::uint64_t{5}, std::uint64_t{6}, std::uint64_t{20}}) {
        EXPECT_NE(reader.read(row, valid, read), RowStatus::ok);
        EXPECT_EQ(read.predicted, -1);
        EXPECT_EQ(read.scale.factor, 0);
        EXPECT_NE(reader.top(row, 3, top), RowStatus::ok);
        EXPECT_TRUE(top.empty());
        EXPECT_FALSE(reader.place_of(row, 1).has_value());
    }
}

TEST(RowReader, OneReaderForManyThreads) {
    const Scratch scratch;
    for (const StorageFormat storage : {StorageFormat::full_f16, StorageFormat::top_k}) {
        const Stored made = save(scratch, storage, ScoreKind::logits);
        const PredictionStore store = PredictionStore::open(made.folder);
        const RowReader reader(store, std::nullopt, {3, 0, 7, 1, 6, 2, 5, 4});
        std::vector<std::vector<RowPrediction>> read(6, std::vector<RowPrediction>(row_count));
        std::vector<std::thread> threads;
        for (auto& mine : read) {
            threads.emplace_back([&] {
                const std::vector<std::int32_t> valid = {2};
                for (std::size_t row = 0; row < row_count; ++row)
                    reader.read(row, valid, mine[row]);
            });
        }
        for (auto& thread : threads) thread.join();
        for (const auto& other : read) {
            for (std::size_t row = 0; row < row_count; ++row) {
                EXPECT_EQ(other[row].predicted, read[0][row].predicted);
                EXPECT_EQ(other[row].rank, read[0][row].rank);
                EXPECT_EQ(other[row].target_probability, read[0][row].target_probability);
            }
        }
    }
}

TEST(RowReader, MapsThatDoNotFit) {
    const Scratch scratch;
    const PredictionStore store =
        PredictionStore::open(save(scratch, StorageFormat::top_k, ScoreKind::logits).folder);
    const PredictionStore full =
        PredictionStore::open(save(scratch, StorageFormat::full_f32, ScoreKind::logits).folder);
    const auto message = [](const PredictionStore& of, const ClassMap& map) -> std::string {
        try {
            RowReader reader(of, map);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input);
            return error.message();
        }
        return "no error";
    };
    ClassMap map = map_by(Decision::restrict_);
    EXPECT_THAT(message(store, map), HasSubstr("needs every class's score"));
    map.target_of.push_back(0);
    EXPECT_THAT(message(full, map), HasSubstr("is for 9 classes; the store has 8"));
    map = map_by(Decision::restrict_);
    map.target_of[1] = 0;
    EXPECT_THAT(message(full, map), HasSubstr("maps 2 classes of the model to target `0`"));
    map = map_by(Decision::mean_of_group);
    map.target_of = {0, 0, 0, 0, 1, 1, 1, -1};
    EXPECT_THAT(message(full, map), HasSubstr("maps 0 classes of the model to target `2`"));
}

}  // namespace
}  // namespace assay
