// Computes a row's confidence in double precision, and keys that order the rows by one class.
#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/store/row_reader.h"
#include "containers/npy.h"
#include "core/cpu.h"
#include "core/log_odds.h"
#include "store/matrix_rows.h"
#include "store/order_keys.h"
#include "store/row_access.h"
#include "store/store_impl.h"

namespace assay {
namespace {

constexpr double infinite_odds = std::numeric_limits<double>::infinity();

/// The distance between neighboring stored numbers just below 1. Float64 numbers are often
/// converted from float32.
double step_below_one(const StoreSpec& spec) {
    return spec.storage == StorageFormat::full_f16 ? 0x1p-11 : 0x1p-24;
}

/// Computes 1 - p. If p is so near 1 that few bits of the difference are left, the sum of the other
/// classes may be used. The sum is used if it is about as small, because it has full precision.
struct Rest {
    double value = 0;
    bool of_others = false;
};
Rest rest_of(double p, double others, double step) {
    const double own = std::max(0.0, 1 - p);
    const bool near_one = own <= 16 * step;
    const bool agree = others <= 64 * step && others + 2 * step >= own;
    return near_one && agree ? Rest{others, true} : Rest{own, false};
}

/// For logits with only the best entries stored, and the log-sum-exp of all. The dropped classes
/// have the remainder, but at most the last stored score each.
double kept_log_odds(std::span<const TopEntry> entries, double log_sum_exp, std::uint32_t classes) {
    const auto score = [&](std::size_t k) { return static_cast<double>(entries[k].score); };
    const double best = score(0);
    double all = 0;
    for (std::size_t k = 0; k < entries.size(); ++k) all += std::exp(score(k) - best);
    const double remainder = std::exp(log_sum_exp - best) - all;
    const std::size_t second = entries.size() > 1 ? 1 : 0;
    const double gap = best - score(second);
    if (gap == infinite_odds) return infinite_odds;
    const std::size_t last = entries.size() - 1;
    const double most =
        static_cast<double>(classes - entries.size()) * std::exp(score(last) - score(second));
    constexpr double rounding = 1e-14;
    double others = remainder > rounding ? std::min(remainder * std::exp(gap), most) : 0;
    for (std::size_t k = 1; k < entries.size(); ++k) others += std::exp(score(k) - score(second));
    return others > 0 ? gap - std::log(others) : infinite_odds;
}

}  // namespace

void store::keys_of_logits_plain(const float* x, std::size_t count, double largest, double half,
                                 double* out) {
    for (std::size_t t = 0; t < count; ++t) out[t] = (static_cast<double>(x[t]) - largest) - half;
}

void RowReader::Impl::wide(const Position& at, std::uint32_t begin, std::uint32_t end,
                           double* out) const {
    thread_local std::vector<float> buffer;
    thread_local std::vector<std::byte> bytes;
    const auto asked = [&](std::uint32_t c) {
        return static_cast<std::size_t>(map ? columns[c] : static_cast<std::int32_t>(c));
    };
    if (const ScoreMatrix* const matrix = at.shard->impl->doubles.get(); matrix != nullptr) {
        const NumberSpan row = store::numbers_of(*matrix, at.shard->first_row + at.row, bytes);
        for (std::uint32_t c = begin; c < end; ++c) {
            const std::size_t place = asked(c);
            *out++ = row.number(places.empty() ? place : static_cast<std::size_t>(places[place]));
        }
        return;
    }
    const std::span<const float> row = scores(at, buffer);
    if (map) {
        for (std::uint32_t c = begin; c < end; ++c) *out++ = static_cast<double>(row[asked(c)]);
    } else {
        std::copy(row.begin() + begin, row.begin() + end, out);
    }
}

std::optional<RowOdds> RowReader::odds(std::uint64_t row) const {
    const Impl& all = *impl_;
    const Impl::Position at = all.position(row);
    if (at.status != RowStatus::ok || !has_probabilities()) return std::nullopt;
    const bool doubles = at.shard->impl->doubles != nullptr;
    const double step = step_below_one(all.store.spec());
    if (!all.full) {
        const Impl::Kept kept = all.kept(at);
        if (!kept.plain)
            return RowOdds{kept_log_odds(kept.entries, kept.log_sum_exp, all.store.classes()), 0,
                           -1};
        const double p = std::clamp(static_cast<double>(kept.entries[0].score), 0.0, 1.0);
        double others = kept.entries.size() > 1 ? 0 : infinite_odds;
        for (const TopEntry& entry : kept.entries.subspan(1))
            others += std::max(0.0, static_cast<double>(entry.score));
        return RowOdds{log_odds_of(p, rest_of(p, others, step).value), 1, -1};
    }
    thread_local std::vector<float> buffer, part;
    thread_local std::vector<double> wide;
    if (!all.probabilities) {
        TopLogOdds top;
        if (doubles) {
            wide.resize(all.classes);
            all.wide(at, 0, all.classes, wide.data());
            top = top_log_odds(std::span<const double>(wide));
        } else {
            top = top_log_odds(all.ranking(all.scores(at, buffer), part));
        }
        return RowOdds{top.log_odds, top.largest, top.cls};
    }
    wide.resize(all.classes);
    all.wide(at, 0, all.classes, wide.data());
    for (double& p : wide) p = std::max(p, 0.0);
    const auto best =
        static_cast<std::size_t>(std::max_element(wide.begin(), wide.end()) - wide.begin());
    // The sum costs a division per class, so it is computed only for rows in which it can matter.
    double scale = 1;
    if (all.map) {
        scale = sum_without(wide, wide.size());
        if (scale <= 1e-30) scale = 1;
    }
    const double p = std::min(wide[best] / scale, 1.0);
    const double others = 1 - p <= 16 * step ? sum_without(wide, best) / scale : infinite_odds;
    const Rest rest = rest_of(p, others, step);
    return RowOdds{log_odds_of(p, rest.value), scale,
                   rest.of_others ? static_cast<std::int32_t>(best) : -1};
}

void RowReader::order_keys(std::uint64_t row, std::uint32_t begin, std::uint32_t end,
                           const RowOdds& odds, double* out) const {
    const Impl& all = *impl_;
    const std::size_t width = end - begin;
    const Impl::Position at = all.position(row);
    const double top = odds.log_odds;
    if (all.probabilities) {
        all.wide(at, begin, end, out);
        // If p is so near 1 that 1 - p is more precise, uses log-odds, which are above 1 there.
        const double near_one = 1 - 16 * step_below_one(all.store.spec());
        for (std::size_t t = 0; t < width; ++t) {
            const double p = std::clamp(out[t] / odds.scale, 0.0, 1.0);
            out[t] = p >= near_one ? log_odds_of(p, 1 - p) : p;
        }
    } else if (odds.scale == -infinite_odds) {
        std::fill(out, out + width, -infinite_odds);
    } else {
        // Returns ln p + ln 2, which is 0 for p = 1/2, and the log-odds for larger p.
        const double half = std::log1p(std::exp(-odds.log_odds)) - std::log1p(1.0);
        if (all.map || at.shard->impl->doubles != nullptr) {
            all.wide(at, begin, end, out);
            for (std::size_t t = 0; t < width; ++t) out[t] = (out[t] - odds.scale) - half;
        } else {
            thread_local std::vector<float> buffer;
            const float* const x = all.scores(at, buffer).data() + begin;
            cpu_has_avx2() ? store::keys_of_logits_avx2(x, width, odds.scale, half, out)
                           : store::keys_of_logits_plain(x, width, odds.scale, half, out);
        }
    }
    if (!all.probabilities && top < 0) return;
    if (odds.cls >= static_cast<std::int32_t>(begin) && odds.cls < static_cast<std::int32_t>(end))
        out[static_cast<std::uint32_t>(odds.cls) - begin] = top;
}

void RowReader::wide_scores(std::uint64_t row, std::uint32_t begin, std::uint32_t end,
                            double* out) const {
    impl_->wide(impl_->position(row), begin, end, out);
}

}  // namespace assay
