#include "store/row_access.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "assay/error.h"

namespace assay {
namespace {

/// A map that needs more data than a reduced store has is refused here, not row by row.
void check_map(const PredictionStore& store, bool full, const ClassMap& map) {
    if (map.target_of.size() != store.classes()) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("class map `{}` is for {} classes; the store has {}", map.name,
                                map.target_of.size(), store.classes()));
    }
    if (!full && map.decision != ClassMap::Decision::map_argmax) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("class map `{}` needs every class's score, and `{}` keeps {} only; "
                                "predict again into another folder with --storage full or f16",
                                map.name, store.folder().string(), name_of(store.spec().storage)));
    }
}

}  // namespace

RowReader::Impl::Impl(const PredictionStore& opened, std::optional<ClassMap> through,
                      std::vector<std::int32_t> order)
    : store(opened),
      map(std::move(through)),
      places(std::move(order)),
      numbers(places.size()),
      shard_rows(std::max<std::uint64_t>(1, opened.spec().shard_rows)),
      classes(map ? static_cast<std::uint32_t>(map->targets.size()) : opened.classes()),
      full(opened.spec().storage == StorageFormat::full_f32 ||
           opened.spec().storage == StorageFormat::full_f16),
      // Log-probabilities are logits whose exponentials sum to one.
      probabilities(opened.spec().kind == ScoreKind::probabilities),
      shards(opened) {
    for (std::size_t c = 0; c < places.size(); ++c)
        numbers[static_cast<std::size_t>(places[c])] = static_cast<std::int32_t>(c);
    if (!map) return;
    check_map(store, full, *map);
    if (maps_by(ClassMap::Decision::map_argmax)) return;
    columns.assign(classes, -1);
    group_sizes.assign(classes, 0);
    for (std::size_t c = 0; c < map->target_of.size(); ++c) {
        const std::int32_t t = map->target_of[c];
        if (t < 0) continue;
        columns[static_cast<std::size_t>(t)] = static_cast<std::int32_t>(c);
        ++group_sizes[static_cast<std::size_t>(t)];
    }
    for (std::size_t t = 0; t < classes; ++t) {
        if (group_sizes[t] == 0 || (maps_by(ClassMap::Decision::restrict_) && group_sizes[t] > 1)) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("class map `{0}` maps {2} classes of the model to target `{1}`",
                                    map->name, map->targets.id(t), group_sizes[t]));
        }
    }
}

RowReader::Impl::Position RowReader::Impl::position(std::uint64_t row) const {
    Position at;
    at.shard = shards.get(static_cast<std::size_t>(row / shard_rows));
    if (at.shard == nullptr) return at;
    at.row = static_cast<std::uint32_t>(row - at.shard->first_row);
    switch (at.shard->states()[at.row]) {
        case RowState::ok:
            at.status = RowStatus::ok;
            break;
        case RowState::unreadable:
            at.status = RowStatus::unreadable;
            break;
        case RowState::not_finite:
            at.status = RowStatus::not_finite;
            break;
    }
    return at;
}

std::span<const float> RowReader::Impl::scores(const Position& at,
                                               std::vector<float>& buffer) const {
    const std::size_t width = store.classes();
    thread_local std::vector<float> halves;
    std::vector<float>& whole = places.empty() ? buffer : halves;
    std::span<const float> stored = at.shard->f32();
    if (!stored.empty() && (shards.keeps_all() || !places.empty())) {
        stored = stored.subspan(at.row * width, width);
    } else {
        whole.resize(width);
        at.shard->read_rows(at.row, 1, whole);
        stored = whole;
    }
    if (places.empty()) return stored;
    buffer.resize(width);
    for (std::size_t c = 0; c < width; ++c) buffer[c] = stored[static_cast<std::size_t>(places[c])];
    return buffer;
}

std::span<const float> RowReader::Impl::ranking(std::span<const float> scores,
                                                std::vector<float>& buffer) const {
    if (!map) return scores;
    buffer.resize(classes);
    if (map->decision == ClassMap::Decision::restrict_) {
        for (std::size_t t = 0; t < classes; ++t)
            buffer[t] = scores[static_cast<std::size_t>(columns[t])];
        return buffer;
    }
    thread_local std::vector<float> softmax;
    thread_local std::vector<double> sums;
    if (!probabilities) {
        const float largest = scan_row(scores, -1).max;
        const auto factor = static_cast<float>(1 / exp_sums(scores, largest).sum);
        softmax.resize(scores.size());
        exp_row(scores, largest, factor, softmax.data());
        scores = softmax;
    }
    sums.assign(classes, 0);
    for (std::size_t c = 0; c < scores.size(); ++c) {
        const std::int32_t t = map->target_of[c];
        if (t >= 0) sums[static_cast<std::size_t>(t)] += static_cast<double>(scores[c]);
    }
    for (std::size_t t = 0; t < classes; ++t)
        buffer[t] = static_cast<float>(sums[t] / group_sizes[t]);
    return buffer;
}

RowScale RowReader::Impl::scale_of(std::span<const float> scores, float largest,
                                   RowSums& sums) const {
    if (!probabilities) {
        if (largest == -std::numeric_limits<float>::infinity()) {
            // All classes that the map keeps have probability 0.
            sums = {1, 0};
            return {0, 1};
        }
        sums = exp_sums(scores, largest);
        return {largest, static_cast<float>(1 / sums.sum)};
    }
    sums = plain_sums(scores);
    // Only a restricted row is normalized to sum 1. A whole row is used unchanged.
    const bool restricted = maps_by(ClassMap::Decision::restrict_) && sums.sum > 1e-30;
    return {0, restricted ? static_cast<float>(1 / sums.sum) : 1.0F};
}

float RowReader::Impl::probability(float score, RowScale scale) const {
    if (probabilities) return std::clamp(score * scale.factor, 0.0F, 1.0F);
    return exp_f32(score - scale.shift) * scale.factor;
}

RowReader::Impl::Kept RowReader::Impl::kept(const Position& at) const {
    Kept row;
    row.entries = at.shard->top(at.row, row.log_sum_exp);
    row.plain = probabilities || store.spec().storage == StorageFormat::label;
    return row;
}

float RowReader::Impl::Kept::probability(float score) const {
    const auto wide = static_cast<double>(score);
    return static_cast<float>(plain ? std::clamp(wide, 0.0, 1.0) : std::exp(wide - log_sum_exp));
}

std::int32_t RowReader::Impl::class_of(std::int32_t stored) const {
    const std::int32_t c = numbers.empty() ? stored : numbers[static_cast<std::size_t>(stored)];
    return map ? map->target_of[static_cast<std::size_t>(c)] : c;
}

}  // namespace assay
