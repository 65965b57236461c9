#include "evaluate/scored_rows.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "assay/error.h"
#include "core/softmax.h"
#include "core/topk.h"

namespace assay {
namespace {

// What a reduced store cannot answer is refused when the map is applied.
void check_map(const PredictionStore& store, const ClassMap* map) {
    if (map == nullptr) return;
    if (map->target_of.size() != store.classes()) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("class map `{}` is for {} classes; the store has {}", map->name,
                                map->target_of.size(), store.classes()));
    }
    const StorageFormat storage = store.spec().storage;
    const bool full = storage == StorageFormat::full_f32 || storage == StorageFormat::full_f16;
    if (!full && map->decision != ClassMap::Decision::map_argmax) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("class map `{}` needs every class's score, and `{}` keeps {} only; "
                                "predict again into "
                                "another folder with --storage full or f16",
                                map->name, store.folder().string(), name_of(storage)));
    }
}

// |P n Y|; -1 without labels. Of one label it is the question whether its rank is 0.
std::int32_t hits_of(std::span<const float> row, std::span<const std::int32_t> set,
                     std::int32_t rank) {
    if (set.size() == 1) return rank == 0 ? 1 : 0;
    return set.empty() ? -1 : static_cast<std::int32_t>(variable_top_k_hits(row, set));
}

}  // namespace

OpenShards::OpenShards(const PredictionStore& store, std::vector<std::int32_t> places)
    : store_(store),
      places_(std::move(places)),
      shard_rows_(std::max<std::uint64_t>(1, store.spec().shard_rows)),
      once_(store.shards()),
      shards_(store.shards()) {}

const PredictionStore::Shard* OpenShards::at(std::size_t shard) const {
    std::call_once(once_[shard], [&] {
        if (!store_.complete() && !std::filesystem::exists(store_.folder() / "shards" /
                                                           fmt::format("{:06}.json", shard))) {
            return;
        }
        shards_[shard] = store_.shard(shard);
    });
    return shards_[shard] ? &*shards_[shard] : nullptr;
}

LabelSets labels_for(const PredictionStore& store, const ScoreOptions& options) {
    const Dataset& dataset = store.dataset();
    const LabelSets& labels = options.labels ? *options.labels : dataset.labels;
    if (labels.size() != store.rows()) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{} label sets for {} items", labels.size(), store.rows()));
    }
    const ClassMap* map = options.map ? &*options.map : nullptr;
    // Labels are over the model's classes, or over the map's targets when the data set was made for
    // them (16 folders).
    const bool over_targets = map != nullptr && dataset.classes.size() == map->targets.size() &&
                              dataset.classes.ids() == map->targets.ids();
    const std::size_t range = over_targets ? map->targets.size() : store.classes();
    LabelSets result;
    std::vector<std::int32_t> mapped;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        mapped.clear();
        for (const std::int32_t label : labels[i]) {
            if (static_cast<std::size_t>(label) >= range) {
                throw Error(
                    ErrorCode::bad_input,
                    fmt::format(
                        "label {} of item {} (`{}`) is outside the {} classes of the scores{}",
                        label, i, dataset.ids[i], range,
                        map == nullptr ? "; a data set over other classes needs a class map" : ""));
            }
            const std::int32_t target = map == nullptr || over_targets
                                            ? label
                                            : map->target_of[static_cast<std::size_t>(label)];
            if (target >= 0) mapped.push_back(target);
        }
        result.append(mapped);
    }
    return result;
}

ScoredRows::ScoredRows(const PredictionStore& store, const OpenShards& shards,
                       const LabelSets& labels, const ClassMap* map,
                       std::vector<std::uint64_t> rows)
    : store_(store), shards_(shards), labels_(labels), map_(map), rows_(std::move(rows)) {
    check_map(store, map);
    items_ = rows_.empty() ? store.rows() : rows_.size();
    const StorageFormat storage = store.spec().storage;
    full_ = storage == StorageFormat::full_f32 || storage == StorageFormat::full_f16;
    // Log-probabilities are logits whose exponentials happen to sum to one.
    probabilities_ = store.spec().kind == ScoreKind::probabilities;
    targets_ = map == nullptr ? store.classes() : static_cast<std::uint32_t>(map->targets.size());
    numbers_.resize(shards.places().size());
    for (std::size_t c = 0; c < numbers_.size(); ++c)
        numbers_[static_cast<std::size_t>(shards.places()[c])] = static_cast<std::int32_t>(c);
    if (map != nullptr && map->decision != ClassMap::Decision::map_argmax) {
        columns_.assign(targets_, -1);
        group_size_.assign(targets_, 0);
        for (std::size_t c = 0; c < map->target_of.size(); ++c) {
            const std::int32_t t = map->target_of[c];
            if (t < 0) continue;
            columns_[static_cast<std::size_t>(t)] = static_cast<std::int32_t>(c);
            ++group_size_[static_cast<std::size_t>(t)];
        }
        for (std::size_t t = 0; t < targets_; ++t) {
            if (group_size_[t] == 0 ||
                (map->decision == ClassMap::Decision::restrict_ && group_size_[t] != 1)) {
                throw Error(ErrorCode::bad_input,
                            fmt::format("class map `{}` gives target `{}` {} classes of the model",
                                        map->name, map->targets.id(t), group_size_[t]));
            }
        }
    }
    for (std::uint64_t item = 0; item < items_; ++item) {
        const std::size_t g = labels_[static_cast<std::size_t>(row_of(item))].size();
        if (g >= label_counts_.size()) label_counts_.resize(g + 1, 0);
        ++label_counts_[g];
    }
    records_.resize(static_cast<std::size_t>(items_));
    nothing_.resize(store.classes());
    groups_.resize(static_cast<std::size_t>(items_));
    for (std::uint64_t first = 0; first < items_; first += group_stretch) {
        const auto places = group_places(first / group_stretch, items_);
        for (std::uint64_t i = first; i < std::min<std::uint64_t>(items_, first + group_stretch);
             ++i) {
            groups_[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(
                places[static_cast<std::size_t>(i - first)] % group_count);
        }
    }
}

Shape ScoredRows::shape() const {
    Shape shape;
    shape.classes = targets_;
    shape.full_rows = full_;
    shape.kept = store_.spec().storage == StorageFormat::top_k ? store_.spec().top_k
                 : full_                                       ? 0
                                                               : 1;
    if (map_ != nullptr) {
        shape.probabilities = map_->decision == ClassMap::Decision::restrict_;
        shape.ranking = map_->decision != ClassMap::Decision::map_argmax;
        if (!shape.ranking) shape.kept = 0;
    }
    if (!label_counts_.empty())
        shape.most_labels = static_cast<std::uint32_t>(label_counts_.size() - 1);
    return shape;
}

std::int32_t ScoredRows::target(std::uint64_t item) const {
    const auto set = labels_[static_cast<std::size_t>(row_of(item))];
    return set.size() == 1 && records_[static_cast<std::size_t>(item)].factor != 0 ? set[0] : -1;
}

std::span<const float> ScoredRows::full_row(const PredictionStore::Shard& shard, std::uint64_t row,
                                            std::vector<float>& buffer) const {
    const std::size_t classes = store_.classes();
    const auto local = static_cast<std::uint32_t>(row - shard.first_row);
    thread_local std::vector<float> halves;
    std::vector<float>& whole = as_stored() ? buffer : halves;
    std::span<const float> stored = shard.f32();
    if (!stored.empty()) {
        stored = stored.subspan(local * classes, classes);
    } else {
        whole.resize(classes);
        shard.read_rows(local, 1, whole);
        stored = whole;
    }
    if (as_stored()) return stored;
    buffer.resize(classes);
    for (std::size_t c = 0; c < classes; ++c)
        buffer[c] = stored[static_cast<std::size_t>(shards_.places()[c])];
    return buffer;
}

void ScoredRows::score(std::size_t unit, std::vector<RowFacts>& facts, ScoreCounts& counts) {
    facts.clear();
    std::vector<float> buffer;
    for (std::uint64_t item = first_of(unit); item < first_of(unit + 1); ++item) {
        const std::uint64_t row = row_of(item);
        ++counts.items;
        const PredictionStore::Shard* shard = shards_.at(shards_.of_row(row));
        if (shard == nullptr) {
            ++counts.missing;
            continue;
        }
        const auto local = static_cast<std::uint32_t>(row - shard->first_row);
        const RowState state = shard->states()[local];
        if (state != RowState::ok) {
            ++(state == RowState::unreadable ? counts.unreadable : counts.not_finite);
            continue;
        }
        const auto set = labels_[static_cast<std::size_t>(row)];
        ++counts.scored;
        counts.unlabelled += set.empty() ? 1 : 0;
        counts.multi_label += set.size() > 1 ? 1 : 0;
        RowFacts& fact = facts.emplace_back();
        fact.item = item;
        fact.group = group_of(item);
        fact.valid = static_cast<std::uint32_t>(set.size());
        fact.target = set.size() == 1 ? set[0] : -1;
        ItemRecord& record = records_[static_cast<std::size_t>(item)];
        if (full_) {
            const auto scores = full_row(*shard, row, buffer);
            if (item % 64 == 0) sample(scores);
            score_full(scores, set, fact, record);
        } else {
            score_reduced(*shard, local, set, fact, record);
        }
        fact.in_set = std::binary_search(set.begin(), set.end(), fact.predicted);
        record.predicted = fact.predicted;
        record.rank = fact.rank;
        record.hits = fact.hits;
        record.confidence = fact.confidence;
    }
}

void ScoredRows::score_full(std::span<const float> row, Labels set, RowFacts& facts,
                            ItemRecord& record) {
    if (map_ != nullptr && map_->decision != ClassMap::Decision::restrict_)
        return decide(row, set, facts, record);
    thread_local std::vector<float> kept;
    if (map_ != nullptr) {
        kept.resize(targets_);
        for (std::size_t t = 0; t < targets_; ++t)
            kept[t] = row[static_cast<std::size_t>(columns_[t])];
        row = kept;
    }
    const RowScan scan = scan_row(row, facts.target);
    facts.predicted = scan.argmax;
    facts.rank = scan.rank;
    facts.hits = hits_of(row, set, scan.rank);
    facts.target_known = facts.target >= 0;
    const float target_score = facts.target_known ? row[static_cast<std::size_t>(facts.target)] : 0;
    if (probabilities_) {
        const RowSums sums = plain_sums(row);
        // Only a restricted row is brought back to sum 1; a whole one is taken as it is.
        record.factor = map_ == nullptr    ? 1.0F
                        : sums.sum > 1e-30 ? static_cast<float>(1 / sums.sum)
                                           : 1.0F;
        record.shift = 0;
        const double factor = record.factor;
        facts.square_sum = sums.squares * factor * factor;
        facts.confidence = std::clamp(scan.max * record.factor, 0.0F, 1.0F);
        facts.target_probability = std::clamp(target_score * record.factor, 0.0F, 1.0F);
        facts.log_target = std::log(static_cast<double>(facts.target_probability));
        return;
    }
    const RowSums sums = exp_sums(row, scan.max);
    record.shift = scan.max;
    record.factor = static_cast<float>(1 / sums.sum);
    facts.square_sum = sums.squares / (sums.sum * sums.sum);
    facts.confidence = record.factor;
    if (facts.target_known) {
        facts.target_probability = exp_f32(target_score - scan.max) * record.factor;
        facts.log_target =
            static_cast<double>(target_score) - static_cast<double>(scan.max) - std::log(sums.sum);
    }
}

// Maps that give an answer and no probabilities.
void ScoredRows::decide(std::span<const float> row, Labels set, RowFacts& facts,
                        ItemRecord& record) const {
    const RowScan scan = scan_row(row, -1);
    record.factor = 1;
    if (map_->decision == ClassMap::Decision::map_argmax) {
        facts.predicted = map_->target_of[static_cast<std::size_t>(scan.argmax)];
        facts.rank = facts.target >= 0 && facts.predicted == facts.target ? 0 : -1;
        if (set.size() == 1) facts.hits = facts.predicted == facts.target ? 1 : 0;
        return;
    }
    thread_local std::vector<float> probability, score;
    thread_local std::vector<double> sum;
    probability.resize(row.size());
    if (probabilities_) {
        std::copy(row.begin(), row.end(), probability.begin());
    } else {
        exp_row(row, scan.max, static_cast<float>(1 / exp_sums(row, scan.max).sum),
                probability.data());
    }
    sum.assign(targets_, 0);
    score.resize(targets_);
    for (std::size_t c = 0; c < row.size(); ++c) {
        if (map_->target_of[c] >= 0)
            sum[static_cast<std::size_t>(map_->target_of[c])] += probability[c];
    }
    for (std::size_t t = 0; t < targets_; ++t)
        score[t] = static_cast<float>(sum[t] / group_size_[t]);
    const RowScan decision = scan_row(score, facts.target);
    facts.predicted = decision.argmax;
    facts.rank = decision.rank;
    facts.hits = hits_of(score, set, decision.rank);
}

void ScoredRows::score_reduced(const PredictionStore::Shard& shard, std::uint32_t row, Labels set,
                               RowFacts& facts, ItemRecord& record) const {
    double log_sum_exp = 0;
    const auto entries = shard.top(row, log_sum_exp);
    const bool plain = probabilities_ || store_.spec().storage == StorageFormat::label;
    const auto probability = [&](float score) {
        return static_cast<float>(plain ? std::clamp(static_cast<double>(score), 0.0, 1.0)
                                        : std::exp(score - log_sum_exp));
    };
    const auto number = [&](std::int32_t c) {
        return as_stored() || c < 0 ? c : numbers_[static_cast<std::size_t>(c)];
    };
    record.factor = 1;
    facts.predicted = entries.empty() ? -1 : number(entries[0].cls);
    facts.confidence = entries.empty() ? 0 : probability(entries[0].score);
    if (map_ != nullptr) {
        facts.predicted =
            facts.predicted < 0 ? -1 : map_->target_of[static_cast<std::size_t>(facts.predicted)];
        facts.rank = facts.target >= 0 && facts.predicted == facts.target ? 0 : -1;
        if (set.size() == 1) facts.hits = facts.predicted == facts.target ? 1 : 0;
        return;
    }
    if (!set.empty() && set.size() <= entries.size()) {
        facts.hits = 0;
        for (const auto& entry : entries.first(set.size()))
            facts.hits += std::binary_search(set.begin(), set.end(), number(entry.cls)) ? 1 : 0;
    }
    for (std::size_t k = 0; k < entries.size() && facts.target >= 0; ++k) {
        if (number(entries[k].cls) != facts.target) continue;
        facts.rank = static_cast<std::int32_t>(k);
        facts.target_known = true;
        facts.target_probability = probability(entries[k].score);
        facts.log_target = plain ? std::log(static_cast<double>(facts.target_probability))
                                 : entries[k].score - log_sum_exp;
    }
}

void ScoredRows::sample(std::span<const float> row) {
    const RowScan scan = scan_row(row, -1);
    const double sum = plain_sums(row).sum;
    const bool inside = scan.min >= 0 && scan.max <= 1;
    // Sums of one: a softmax was applied. Sums far from it with every value in [0, 1]: sigmoids.
    const bool like_probabilities = inside && (std::abs(sum - 1) < 1e-3 || sum > 2);
    const bool odd_probabilities =
        scan.min < -1e-6F || scan.max > 1.001F || std::abs(sum - 1) > 1e-2;
    ++sampled_;
    if (store_.spec().kind == ScoreKind::logits ? like_probabilities
                                                : probabilities_ && odd_probabilities)
        ++suspicious_;
}

ProbabilityRows::Direct ScoredRows::direct() const {
    if (store_.spec().storage != StorageFormat::full_f32 || map_ != nullptr || !as_stored())
        return Direct::no;
    return probabilities_ ? Direct::proportional : Direct::exponential;
}

ScoreRow ScoredRows::row(std::uint64_t item) const {
    const std::uint64_t row = row_of(item);
    const PredictionStore::Shard* const shard =
        target(item) < 0 ? nullptr : shards_.at(shards_.of_row(row));
    if (shard == nullptr) return {nothing_.data(), 0, 0};
    const ItemRecord& record = records_[static_cast<std::size_t>(item)];
    return {shard->f32().data() + (row - shard->first_row) * store_.classes(), record.shift,
            record.factor};
}

void ScoredRows::read(std::uint64_t first, std::uint32_t n, std::uint32_t begin, std::uint32_t end,
                      float* out) const {
    const std::size_t width = end - begin;
    std::vector<float> buffer, part(width);
    const bool mapped =
        store_.spec().storage == StorageFormat::full_f32 && map_ == nullptr && as_stored();
    for (std::uint64_t item = first; item < first + n; ++item, out += width) {
        if (target(item) < 0) {
            std::fill(out, out + width, 0.0F);
            continue;
        }
        const ItemRecord& record = records_[static_cast<std::size_t>(item)];
        const std::uint64_t row = row_of(item);
        if (mapped && item + 8 < first + n && target(item + 8) >= 0) {
            // A few cache lines of each row, far apart: no processor foresees that by itself.
            const std::uint64_t next = row_of(item + 8);
            const float* const ahead =
                full_row(*shards_.at(shards_.of_row(next)), next, buffer).data() + begin;
            for (std::size_t t = 0; t < width; t += 16) __builtin_prefetch(ahead + t);
        }
        std::span<const float> scores = full_row(*shards_.at(shards_.of_row(row)), row, buffer);
        if (map_ != nullptr) {
            for (std::size_t t = 0; t < width; ++t)
                part[t] = scores[static_cast<std::size_t>(columns_[begin + t])];
            scores = part;
        } else {
            scores = scores.subspan(begin, width);
        }
        if (probabilities_) {
            for (std::size_t t = 0; t < width; ++t)
                out[t] = std::clamp(scores[t] * record.factor + 0.0F, 0.0F, 1.0F);  // + 0: no -0
        } else {
            exp_row(scores, record.shift, record.factor, out);
        }
    }
}

}  // namespace assay
