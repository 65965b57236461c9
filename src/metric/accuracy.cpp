// Accuracies: top-1, top-k, and ReaL (Beyer et al. 2020, "Are we done with ImageNet?"). Arg-max
// takes the first index on ties.
#include <charconv>

#include <fmt/core.h>

#include "core/statistics.h"
#include "families.h"

namespace assay::families {
namespace {

// Counts by rank of the target up to `deepest`, then what lies deeper, then ReaL's two.
constexpr std::size_t deepest = 100;  // the largest k that `topk` takes
enum : std::size_t { deeper = deepest, unknown_rank, labelled, in_set, answer_slots };

class Answers final : public Accumulator {
public:
    std::string key() const override { return "answers"; }
    std::size_t slots() const override { return answer_slots; }
    void update(std::span<std::int64_t> state, std::span<const RowFacts> rows) const override {
        for (const RowFacts& row : rows) {
            std::int64_t* const counts = state.data() + row.group * answer_slots;
            if (row.target >= 0) {
                const auto rank = static_cast<std::size_t>(row.rank);
                ++counts[row.rank < 0 ? unknown_rank : rank < deepest ? rank : deeper];
            }
            if (row.valid > 0) {
                ++counts[labelled];
                counts[in_set] += row.in_set ? 1 : 0;
            }
        }
    }
};

Estimate proportion(std::int64_t hits, std::int64_t n, double level) {
    Estimate value;
    value.n = static_cast<std::uint64_t>(n);
    value.value = static_cast<double>(hits) / static_cast<double>(n);
    value.interval = wilson(static_cast<std::uint64_t>(hits), value.n, level);
    return value;
}

}  // namespace

std::unique_ptr<Accumulator> accumulate_answers(const MetricContext&) {
    return std::make_unique<Answers>();
}

Estimate top_k_value(const MetricContext& context, std::span<const std::int64_t> state) {
    const std::string& text = context.parameters.at("k");
    std::size_t k = 0;
    std::from_chars(text.data(), text.data() + text.size(), k);
    std::int64_t hits = 0, n = state[unknown_rank];
    for (std::size_t rank = 0; rank <= deepest; ++rank) {
        n += state[rank];
        if (rank < k) hits += state[rank];
    }
    Estimate value;
    if (n == 0) {
        value.undefined = "no item has exactly one valid label";
    } else if (k > 1 && context.shape.kept != 0 && k > context.shape.kept) {
        value.undefined = fmt::format(
            "the store keeps the best {} of each row: rank {} is not known", context.shape.kept, k);
    } else if (k > 1 && !context.shape.ranking) {
        value.undefined = "the class map gives one decision and no ranking";
    } else {
        value = proportion(hits, n, context.level);
        if (k > context.shape.classes)
            value.note = fmt::format("k exceeds the {} classes", context.shape.classes);
    }
    return value;
}

Estimate real_value(const MetricContext& context, std::span<const std::int64_t> state) {
    if (state[labelled] == 0) {
        Estimate value;
        value.undefined = "no item has a valid label";
        return value;
    }
    return proportion(state[in_set], state[labelled], context.level);
}

}  // namespace assay::families
