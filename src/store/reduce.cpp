#include "store/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "assay/error.h"
#include "core/half.h"
#include "core/softmax.h"
#include "core/topk.h"

namespace assay::store {
namespace {

static_assert(sizeof(TopEntry) == 8, "TopEntry is the element of the stored arrays");

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();
/// All numbers below this round to a finite half float.
constexpr float half_limit = 65520.0F;

std::size_t entries_per_row(const StoreSpec& spec) {
    return spec.storage == StorageFormat::label ? 1 : spec.top_k;
}

/// For a row, the number of values below the limit and the number above its negative. NaN counts as
/// neither. Counts are in lanes, which compilers convert to SIMD.
struct WithinLimit {
    std::size_t below = 0, above = 0;
};

WithinLimit count_within(std::span<const float> row, float limit) {
    constexpr std::size_t lanes = 16;
    std::array<std::int32_t, lanes> below{}, above{};
    std::size_t i = 0;
    for (; i + lanes <= row.size(); i += lanes) {
        const float* const at = row.data() + i;
        for (std::size_t lane = 0; lane < lanes; ++lane) below[lane] += at[lane] < limit ? 1 : 0;
        for (std::size_t lane = 0; lane < lanes; ++lane) above[lane] += at[lane] > -limit ? 1 : 0;
    }
    for (; i < row.size(); ++i) {
        below[0] += row[i] < limit ? 1 : 0;
        above[0] += row[i] > -limit ? 1 : 0;
    }
    WithinLimit all;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        all.below += static_cast<std::size_t>(below[lane]);
        all.above += static_cast<std::size_t>(above[lane]);
    }
    return all;
}

bool is_sound_below(std::span<const float> row, ScoreKind kind, float limit) {
    const WithinLimit within = count_within(row, limit);
    // An impossible class has the logit -infinity. At least one class must be possible.
    return within.below == row.size() &&
           (kind == ScoreKind::probabilities ? within.above == row.size() : within.above > 0);
}

float limit_of(StorageFormat storage) {
    return storage == StorageFormat::full_f16 ? half_limit : infinity;
}

constexpr std::string_view no_score = "no class has a score above -infinity";
constexpr std::string_view of_class = "the score of class ";

std::string what_is_wrong(std::int64_t cls, float score, bool only_lowest) {
    if (only_lowest) return fmt::format("{}: every probability would be 0", no_score);
    std::string message = fmt::format("{}{} is {}", of_class, cls, score);
    if (std::isfinite(score))
        message += ", beyond the range of half precision; store such scores as full_f32";
    return message;
}

template <class T>
std::span<T> allocate(ShardData& data, std::size_t count) {
    std::vector<std::byte>& bytes = data.owned.emplace_back(count * sizeof(T));
    data.files.emplace_back(bytes);
    return {reinterpret_cast<T*>(bytes.data()), count};
}

void store_full(ShardData& data, std::span<const float> scores, std::span<const RowState> states,
                bool halves) {
    const std::size_t classes = scores.size() / states.size();
    const bool all_ok =
        std::all_of(states.begin(), states.end(), [](RowState s) { return s == RowState::ok; });
    if (halves) {
        const std::span<std::uint16_t> out = allocate<std::uint16_t>(data, scores.size());
        for (std::size_t r = 0; r < states.size(); ++r) {
            const std::span<std::uint16_t> row = out.subspan(r * classes, classes);
            if (states[r] == RowState::ok) {
                halves_from_floats(scores.subspan(r * classes, classes), row);
            } else {
                std::fill(row.begin(), row.end(), half_from_float(nan));
            }
        }
    } else if (all_ok) {
        data.files.push_back(std::as_bytes(scores));
    } else {
        const std::span<float> out = allocate<float>(data, scores.size());
        for (std::size_t r = 0; r < states.size(); ++r) {
            const std::span<float> row = out.subspan(r * classes, classes);
            if (states[r] == RowState::ok) {
                std::memcpy(row.data(), scores.data() + r * classes, row.size_bytes());
            } else {
                std::fill(row.begin(), row.end(), nan);
            }
        }
    }
}

void store_top(ShardData& data, const StoreSpec& spec, std::span<const float> scores,
               std::span<const RowState> states) {
    data.owned.reserve(2);
    const std::span<TopEntry> entries = allocate<TopEntry>(data, states.size() * spec.top_k);
    const std::span<double> sums = allocate<double>(data, states.size());
    for (std::size_t r = 0; r < states.size(); ++r) {
        const std::span<TopEntry> out = entries.subspan(r * spec.top_k, spec.top_k);
        if (states[r] == RowState::ok) {
            const std::span<const float> row = scores.subspan(r * spec.classes, spec.classes);
            best_of(row, out);
            // Probabilities need no normalizer. It is 1, and its logarithm is 0.
            sums[r] = spec.kind == ScoreKind::logits ? log_sum_exp(row) : 0.0;
        } else {
            std::fill(out.begin(), out.end(), TopEntry{-1, nan});
            sums[r] = std::numeric_limits<double>::quiet_NaN();
        }
    }
}

void store_label(ShardData& data, const StoreSpec& spec, std::span<const float> scores,
                 std::span<const RowState> states) {
    const std::span<TopEntry> entries = allocate<TopEntry>(data, states.size());
    for (std::size_t r = 0; r < states.size(); ++r) {
        entries[r] = TopEntry{-1, nan};
        if (states[r] != RowState::ok) continue;
        const std::span<const float> row = scores.subspan(r * spec.classes, spec.classes);
        best_of(row, entries.subspan(r, 1));
        const auto best = static_cast<double>(entries[r].score);
        if (spec.kind == ScoreKind::logits)
            entries[r].score = static_cast<float>(std::exp(best - log_sum_exp(row)));
        if (spec.kind == ScoreKind::log_probabilities)
            entries[r].score = static_cast<float>(std::exp(best));
    }
}

}  // namespace

bool is_sound(std::span<const float> row, ScoreKind kind, StorageFormat storage) {
    return is_sound_below(row, kind, limit_of(storage));
}

double log_sum_exp(std::span<const float> row) {
    const float top = scan_row(row, -1).max;
    return static_cast<double>(top) + std::log(exp_sums(row, top).sum);
}

void best_of(std::span<const float> row, std::span<TopEntry> out) {
    thread_local std::vector<std::int32_t> order;
    top_k(row, out.size(), order);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = {order[i], row[static_cast<std::size_t>(order[i])]};
}

void find_not_finite(const StoreSpec& spec, std::span<const float> scores, std::uint64_t first_row,
                     std::vector<RowState>& states, std::vector<RowError>& errors) {
    const float limit = limit_of(spec.storage);
    for (std::size_t r = 0; r < states.size(); ++r) {
        const std::span<const float> row = scores.subspan(r * spec.classes, spec.classes);
        if (states[r] != RowState::ok || is_sound_below(row, spec.kind, limit)) continue;
        const bool logs = spec.kind != ScoreKind::probabilities;
        const auto bad = std::find_if(row.begin(), row.end(), [&](float s) {
            return !(logs ? s < limit : std::fabs(s) < limit);
        });
        const bool none = bad == row.end();
        states[r] = RowState::not_finite;
        errors.push_back({first_row + r, RowState::not_finite,
                          what_is_wrong(bad - row.begin(), none ? -infinity : *bad, none)});
    }
}

void find_not_finite(const StoreSpec& spec, std::span<const TopEntry> entries,
                     std::uint64_t first_row, std::vector<RowState>& states,
                     std::vector<RowError>& errors) {
    const std::size_t k = entries_per_row(spec);
    for (std::size_t r = 0; r < states.size(); ++r) {
        const std::span<const TopEntry> row = entries.subspan(r * k, k);
        const bool logs = spec.kind != ScoreKind::probabilities;
        const auto bad = std::find_if(row.begin(), row.end(), [&](const TopEntry& e) {
            return !(logs ? e.score < infinity : std::isfinite(e.score));
        });
        const bool none = bad == row.end() && row.front().score == -infinity;
        if (states[r] != RowState::ok || (bad == row.end() && !none)) continue;
        states[r] = RowState::not_finite;
        errors.push_back({first_row + r, RowState::not_finite,
                          none ? what_is_wrong(0, -infinity, true)
                               : what_is_wrong(bad->cls, bad->score, false)});
    }
}

bool is_of_scores(const RowError& error) {
    return error.message.starts_with(of_class) || error.message.starts_with(no_score);
}

ShardData reduce(const StoreSpec& spec, std::span<const float> scores,
                 std::span<const RowState> states) {
    ShardData data;
    switch (spec.storage) {
        case StorageFormat::full_f32:
            store_full(data, scores, states, false);
            break;
        case StorageFormat::full_f16:
            store_full(data, scores, states, true);
            break;
        case StorageFormat::top_k:
            store_top(data, spec, scores, states);
            break;
        case StorageFormat::label:
            store_label(data, spec, scores, states);
            break;
    }
    return data;
}

ShardData reduce(const StoreSpec& spec, std::span<const TopEntry> entries,
                 std::span<const RowState> states) {
    const std::size_t k = entries_per_row(spec);
    ShardData data;
    data.owned.reserve(2);
    const std::span<TopEntry> stored = allocate<TopEntry>(data, entries.size());
    for (std::size_t r = 0; r < states.size(); ++r) {
        const std::span<TopEntry> out = stored.subspan(r * k, k);
        if (states[r] != RowState::ok) {
            std::fill(out.begin(), out.end(), TopEntry{-1, nan});
            continue;
        }
        std::copy_n(entries.begin() + static_cast<std::ptrdiff_t>(r * k), k, out.begin());
        const bool classes = std::all_of(out.begin(), out.end(), [&](const TopEntry& e) {
            return e.cls >= 0 && static_cast<std::uint32_t>(e.cls) < spec.classes;
        });
        const bool ordered =
            std::is_sorted(out.begin(), out.end(), [](const TopEntry& a, const TopEntry& b) {
                return a.score > b.score || (a.score == b.score && a.cls < b.cls);
            });
        if (!classes || !ordered)
            throw Error(ErrorCode::internal,
                        fmt::format("entries of row {} are not the best ones in order", r));
        if (spec.storage == StorageFormat::label && spec.kind == ScoreKind::log_probabilities)
            out[0].score = std::exp(out[0].score);
    }
    if (spec.storage == StorageFormat::top_k) {
        const std::span<double> sums = allocate<double>(data, states.size());
        std::transform(states.begin(), states.end(), sums.begin(), [](RowState s) {
            return s == RowState::ok ? 0.0 : std::numeric_limits<double>::quiet_NaN();
        });
    }
    return data;
}

}  // namespace assay::store
