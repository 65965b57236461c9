#include "assay/store/row_reader.h"

#include <algorithm>
#include <cmath>

#include "core/topk.h"
#include "store/reduce.h"
#include "store/row_access.h"

namespace assay {
namespace {

// The size |P n Y|; -1 without valid classes. For one valid class, 1 if it is predicted.
std::int32_t hits_of(std::span<const float> row, std::span<const std::int32_t> valid,
                     std::int32_t predicted) {
    if (valid.size() == 1) return predicted == valid[0] ? 1 : 0;
    return valid.empty() ? -1 : static_cast<std::int32_t>(variable_top_k_hits(row, valid));
}

// With an arg-max map, only the predicted class is known.
void decide(std::int32_t predicted, std::int32_t target, std::span<const std::int32_t> valid,
            RowPrediction& out) {
    out.predicted = predicted;
    if (target >= 0) out.rank = predicted == target ? 0 : -1;
    if (valid.size() == 1) out.hits = predicted == valid[0] ? 1 : 0;
}

}  // namespace

RowReader::RowReader(const PredictionStore& store, std::optional<ClassMap> map,
                     std::vector<std::int32_t> places)
    : impl_(std::make_unique<const Impl>(store, std::move(map), std::move(places))) {}
RowReader::~RowReader() = default;
RowReader::RowReader(RowReader&&) noexcept = default;

const PredictionStore& RowReader::store() const noexcept {
    return impl_->store;
}

std::uint32_t RowReader::classes() const noexcept {
    return impl_->classes;
}

bool RowReader::full() const noexcept {
    return impl_->full;
}

std::uint32_t RowReader::depth() const noexcept {
    const StoreSpec& spec = impl_->store.spec();
    if (!ranks() || spec.storage == StorageFormat::label) return 1;
    return spec.storage == StorageFormat::top_k ? spec.top_k : impl_->classes;
}

bool RowReader::ranks() const noexcept {
    return !impl_->maps_by(ClassMap::Decision::map_argmax);
}

bool RowReader::has_probabilities() const noexcept {
    if (impl_->store.spec().kind == ScoreKind::labels) return false;
    return !impl_->map || impl_->maps_by(ClassMap::Decision::restrict_);
}

const PredictionStore::Shard* RowReader::shard(std::size_t index) const {
    return impl_->shards.get(index);
}

RowStatus RowReader::status(std::uint64_t row) const {
    return impl_->position(row).status;
}

std::string RowReader::why_not(std::uint64_t row) const {
    const Impl::Position at = impl_->position(row);
    if (at.status == RowStatus::ok) return "";
    if (at.status == RowStatus::missing) return "not scored yet";
    std::string why = at.status == RowStatus::unreadable ? "unreadable" : "scores are not finite";
    for (const RowError& error : at.shard->errors()) {
        if (error.row == row) why += ": " + error.message;
    }
    return why;
}

RowStatus RowReader::read(std::uint64_t row, std::int32_t target,
                          std::span<const std::int32_t> valid, RowPrediction& out,
                          Detail detail) const {
    const Impl::Position at = impl_->position(row);
    out = {};
    if (at.status != RowStatus::ok) return at.status;
    if (impl_->full) {
        impl_->read_full(at, target, valid, out, detail);
    } else {
        impl_->read_kept(at, target, valid, out);
    }
    return at.status;
}

void RowReader::Impl::read_full(const Position& at, std::int32_t target,
                                std::span<const std::int32_t> valid, RowPrediction& out,
                                Detail detail) const {
    thread_local std::vector<float> buffer, target_buffer;
    out.scale.factor = 1;
    std::span<const float> row = scores(at, buffer);
    if (maps_by(ClassMap::Decision::map_argmax)) {
        return decide(map->target_of[static_cast<std::size_t>(scan_row(row, -1).argmax)], target,
                      valid, out);
    }
    row = ranking(row, target_buffer);
    const RowScan scan = scan_row(row, target);
    out.predicted = scan.argmax;
    out.rank = scan.rank;
    out.hits = hits_of(row, valid, scan.argmax);
    if (detail == Detail::ranking || maps_by(ClassMap::Decision::mean_of_group)) return;
    RowSums sums;
    out.scale = scale_of(row, scan.max, sums);
    // The largest score of a softmax is its own shift, so its probability is exp(0) times the
    // factor.
    out.confidence = probabilities || scan.max != out.scale.shift ? probability(scan.max, out.scale)
                                                                  : out.scale.factor;
    const double factor = out.scale.factor;
    out.square_sum =
        probabilities ? sums.squares * factor * factor : sums.squares / (sums.sum * sums.sum);
    if (target < 0) return;
    out.target_known = true;
    const float score = row[static_cast<std::size_t>(target)];
    out.target_probability = probability(score, out.scale);
    out.log_target = probabilities ? std::log(static_cast<double>(out.target_probability))
                                   : static_cast<double>(score) - static_cast<double>(scan.max) -
                                         std::log(sums.sum);
}

void RowReader::Impl::read_kept(const Position& at, std::int32_t target,
                                std::span<const std::int32_t> valid, RowPrediction& out) const {
    const Kept row = kept(at);
    out.scale.factor = 1;
    const bool known = store.spec().kind != ScoreKind::labels;
    out.confidence = known ? row.probability(row.entries[0].score) : 0;
    if (map) return decide(class_of(row.entries[0].cls), target, valid, out);
    out.predicted = class_of(row.entries[0].cls);
    if (!valid.empty() && valid.size() <= row.entries.size()) {
        out.hits = 0;
        for (const TopEntry& entry : row.entries.first(valid.size())) {
            out.hits += std::binary_search(valid.begin(), valid.end(), class_of(entry.cls)) ? 1 : 0;
        }
    }
    for (std::size_t k = 0; k < row.entries.size() && target >= 0; ++k) {
        const TopEntry& entry = row.entries[k];
        if (class_of(entry.cls) != target) continue;
        out.rank = static_cast<std::int32_t>(k);
        if (!known) continue;
        out.target_known = true;
        out.target_probability = row.probability(entry.score);
        out.log_target = row.plain ? std::log(static_cast<double>(out.target_probability))
                                   : static_cast<double>(entry.score) - row.log_sum_exp;
    }
}

RowStatus RowReader::top(std::uint64_t row, std::size_t k, std::vector<RankedClass>& out) const {
    out.clear();
    const Impl::Position at = impl_->position(row);
    if (at.status != RowStatus::ok) return at.status;
    k = std::min<std::size_t>(k, depth());
    if (!impl_->full) {
        const Impl::Kept kept = impl_->kept(at);
        for (const TopEntry& entry : kept.entries.first(std::min(k, kept.entries.size()))) {
            const std::int32_t c = impl_->class_of(entry.cls);
            if (c >= 0) out.push_back({c, kept.probability(entry.score)});
        }
        return at.status;
    }
    thread_local std::vector<float> buffer, target_buffer;
    thread_local std::vector<std::int32_t> order;
    std::span<const float> scores = impl_->scores(at, buffer);
    if (ranks()) scores = impl_->ranking(scores, target_buffer);
    top_k(scores, k, order);
    if (order.empty()) return at.status;
    // The mean probabilities of groups need no conversion.
    RowSums sums;
    const bool means = impl_->maps_by(ClassMap::Decision::mean_of_group);
    const RowScale scale =
        means ? RowScale{}
              : impl_->scale_of(scores, scores[static_cast<std::size_t>(order[0])], sums);
    for (const std::int32_t ranked : order) {
        const float score = scores[static_cast<std::size_t>(ranked)];
        const std::int32_t c =
            ranks() ? ranked : impl_->map->target_of[static_cast<std::size_t>(ranked)];
        if (c >= 0) out.push_back({c, means ? score : impl_->probability(score, scale)});
    }
    return at.status;
}

std::optional<RowReader::Place> RowReader::place_of(std::uint64_t row, std::int32_t cls) const {
    thread_local std::vector<RankedClass> known;
    if (!impl_->full || !ranks()) {
        top(row, depth(), known);
        for (std::size_t i = 0; i < known.size(); ++i) {
            if (known[i].cls == cls) return Place{i, known[i].probability};
        }
        return std::nullopt;
    }
    const Impl::Position at = impl_->position(row);
    if (at.status != RowStatus::ok || cls < 0 || static_cast<std::uint32_t>(cls) >= classes())
        return std::nullopt;
    thread_local std::vector<float> buffer, target_buffer;
    const std::span<const float> scores = impl_->ranking(impl_->scores(at, buffer), target_buffer);
    const RowScan scan = scan_row(scores, cls);
    const float score = scores[static_cast<std::size_t>(cls)];
    if (impl_->maps_by(ClassMap::Decision::mean_of_group))
        return Place{static_cast<std::size_t>(scan.rank), score};
    RowSums sums;
    return Place{static_cast<std::size_t>(scan.rank),
                 impl_->probability(score, impl_->scale_of(scores, scan.max, sums))};
}

std::optional<double> RowReader::log_sum_exp(std::uint64_t row) const {
    const Impl::Position at = impl_->position(row);
    if (at.status != RowStatus::ok || impl_->store.spec().storage == StorageFormat::label)
        return std::nullopt;
    if (impl_->probabilities) return 0.0;
    if (!impl_->full) return impl_->kept(at).log_sum_exp;
    thread_local std::vector<float> buffer;
    return store::log_sum_exp(impl_->scores(at, buffer));
}

std::span<const float> RowReader::scores(std::uint64_t row, std::vector<float>& buffer) const {
    return impl_->scores(impl_->position(row), buffer);
}

bool RowReader::is_mapped() const noexcept {
    return impl_->store.spec().storage == StorageFormat::full_f32 && impl_->places.empty() &&
           !impl_->map && impl_->shards.keeps_all();
}

const float* RowReader::mapped(std::uint64_t row) const {
    const PredictionStore::Shard* const in =
        shard(static_cast<std::size_t>(row / impl_->shard_rows));
    return in->f32().data() + (row - in->first_row) * impl_->store.classes();
}

void RowReader::probabilities(std::uint64_t row, std::uint32_t begin, std::uint32_t end,
                              RowScale scale, float* out) const {
    thread_local std::vector<float> buffer, part;
    const std::size_t width = end - begin;
    std::span<const float> scores = this->scores(row, buffer);
    if (impl_->map) {
        part.resize(width);
        for (std::size_t t = 0; t < width; ++t)
            part[t] = scores[static_cast<std::size_t>(impl_->columns[begin + t])];
        scores = part;
    } else {
        scores = scores.subspan(begin, width);
    }
    if (impl_->probabilities) {
        for (std::size_t t = 0; t < width; ++t)
            out[t] = std::clamp(scores[t] * scale.factor + 0.0F, 0.0F, 1.0F);  // + 0: no -0
    } else {
        exp_row(scores, scale.shift, scale.factor, out);
    }
}

}  // namespace assay
