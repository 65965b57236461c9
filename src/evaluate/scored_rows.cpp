#include "evaluate/scored_rows.h"

#include <algorithm>
#include <cmath>

#include "core/softmax.h"
#include "metric/item_groups.h"

namespace assay {

ScoredRows::ScoredRows(const RowReader& reader, const Truth& truth, std::vector<std::uint64_t> rows,
                       KeptItems keep)
    : reader_(reader), truth_(truth), labels_(truth.labels), rows_(std::move(rows)) {
    items_ = rows_.empty() ? reader.store().rows() : rows_.size();
    for (std::uint64_t item = 0; item < items_; ++item) {
        const std::size_t g = labels_[static_cast<std::size_t>(row_of(item))].size();
        if (g >= label_counts_.size()) label_counts_.resize(g + 1, 0);
        ++label_counts_[g];
    }
    if (keep.records) records_.resize(static_cast<std::size_t>(items_));
    if (keep.records && keep.odds && reader.has_probabilities())
        odds_.resize(static_cast<std::size_t>(items_));
    nothing_.resize(reader.store().classes());
    if (truth.group.empty()) {
        groups_ = groups_of_items(items_);
        return;
    }
    groups_.resize(static_cast<std::size_t>(items_));
    for (std::uint64_t item = 0; item < items_; ++item)
        groups_[static_cast<std::size_t>(item)] =
            truth.group[static_cast<std::size_t>(row_of(item))];
}

Shape ScoredRows::shape() const {
    Shape shape;
    shape.classes = reader_.classes();
    shape.full_rows = reader_.full();
    shape.kept = reader_.full() || !reader_.ranks() ? 0 : reader_.depth();
    shape.probabilities = reader_.has_probabilities();
    shape.ranking = reader_.ranks();
    shape.no_cues = truth_.no_cues;
    shape.only_valid = truth_.only_valid;
    if (!label_counts_.empty())
        shape.most_labels = static_cast<std::uint32_t>(label_counts_.size() - 1);
    return shape;
}

std::int32_t ScoredRows::target(std::uint64_t item) const {
    return records_[static_cast<std::size_t>(item)].scale.factor != 0
               ? truth_.targets[static_cast<std::size_t>(row_of(item))]
               : -1;
}

void ScoredRows::score(std::size_t unit, std::vector<RowFacts>& facts, ScoreCounts& counts) {
    facts.clear();
    for (std::uint64_t item = first_of(unit); item < first_of(unit + 1); ++item) {
        const std::uint64_t row = row_of(item);
        const auto set = labels_[static_cast<std::size_t>(row)];
        ++counts.items;
        RowFacts fact;
        fact.target = truth_.targets[static_cast<std::size_t>(row)];
        switch (reader_.read(row, fact.target, set, fact)) {
            case RowStatus::ok:
                break;
            case RowStatus::missing:
                ++counts.missing;
                continue;
            case RowStatus::unreadable:
                ++counts.unreadable;
                continue;
            case RowStatus::not_finite:
                ++counts.not_finite;
                continue;
        }
        if (reader_.full() && item % 64 == 0) sample(row);
        ++counts.scored;
        counts.unlabelled += set.empty() ? 1 : 0;
        counts.multi_label += set.size() > 1 ? 1 : 0;
        fact.item = item;
        fact.group = group_of(item);
        fact.valid = static_cast<std::uint32_t>(set.size());
        if (!truth_.cues.empty()) {
            const Cues& cues = truth_.cues[static_cast<std::size_t>(row)];
            fact.shape_cue = cues.shape;
            fact.texture_cue = cues.texture;
        }
        fact.in_set = std::binary_search(set.begin(), set.end(), fact.predicted);
        if (!records_.empty()) {
            records_[static_cast<std::size_t>(item)] = {fact.predicted, fact.rank, fact.hits,
                                                        fact.confidence, fact.scale};
        }
        if (!odds_.empty())
            odds_[static_cast<std::size_t>(item)] = reader_.odds(row).value_or(RowOdds{});
        facts.push_back(fact);
    }
}

void ScoredRows::sample(std::uint64_t row) {
    thread_local std::vector<float> buffer;
    const auto scores = reader_.scores(row, buffer);
    const RowScan scan = scan_row(scores, -1);
    const double sum = plain_sums(scores).sum;
    const bool inside = scan.min >= 0 && scan.max <= 1;
    // Sums of one mean that a softmax was applied. Sums far from one with every value in [0, 1]
    // mean sigmoids.
    const bool like_probabilities = inside && (std::abs(sum - 1) < 1e-3 || sum > 2);
    const bool odd_probabilities =
        scan.min < -1e-6F || scan.max > 1.001F || std::abs(sum - 1) > 1e-2;
    const ScoreKind kind = reader_.store().spec().kind;
    ++sampled_;
    if (kind == ScoreKind::logits ? like_probabilities
                                  : kind == ScoreKind::probabilities && odd_probabilities)
        ++suspicious_;
}

ProbabilityRows::Direct ScoredRows::direct() const {
    if (!reader_.is_mapped()) return Direct::no;
    return reader_.store().spec().kind == ScoreKind::probabilities ? Direct::proportional
                                                                   : Direct::exponential;
}

ScoreRow ScoredRows::row(std::uint64_t item) const {
    if (target(item) < 0) return {nothing_.data(), 0, 0};
    const RowScale& scale = records_[static_cast<std::size_t>(item)].scale;
    return {reader_.mapped(row_of(item)), scale.shift, scale.factor};
}

void ScoredRows::read_scored(std::uint64_t item, std::uint32_t begin, std::uint32_t end,
                             float* out) const {
    reader_.probabilities(row_of(item), begin, end, records_[static_cast<std::size_t>(item)].scale,
                          out);
}

std::span<const std::int32_t> ScoredRows::valid(std::uint64_t item) const {
    if (records_[static_cast<std::size_t>(item)].scale.factor == 0) return {};
    return labels_[static_cast<std::size_t>(row_of(item))];
}

void ScoredRows::read(std::uint64_t first, std::uint32_t n, std::uint32_t begin, std::uint32_t end,
                      float* out) const {
    const std::size_t width = end - begin;
    for (std::uint64_t item = first; item < first + n; ++item, out += width) {
        if (target(item) < 0) {
            std::fill(out, out + width, 0.0F);
            continue;
        }
        if (item + 8 < first + n && target(item + 8) >= 0) prefetch(item + 8, begin, end);
        read_scored(item, begin, end, out);
    }
}

}  // namespace assay
