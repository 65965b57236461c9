// Accuracies: top-1, top-k, and ReaL (Beyer et al. 2020, "Are we done with ImageNet?"). On ties,
// arg-max is the first index.
#include <charconv>

#include <fmt/core.h>

#include "core/statistics.h"
#include "metric/families.h"

namespace assay::families {
namespace {

enum : std::size_t {
    items,     // items with a single label
    hits,      // items among these whose label is among the k highest scores
    labelled,  // items with any valid label
    in_set,    // items among these whose predicted class is a valid label
    prediction_slots
};

class Predictions final : public Accumulator {
public:
    explicit Predictions(std::int32_t k) : k_(k) {}
    std::string key() const override { return fmt::format("predictions {}", k_); }
    std::size_t slots() const override { return prediction_slots; }
    void update(std::span<std::int64_t> state, std::span<const RowFacts> rows) const override {
        for (const RowFacts& row : rows) {
            std::int64_t* const counts = state.data() + row.group * prediction_slots;
            if (row.target >= 0) {
                ++counts[items];
                counts[hits] += row.rank >= 0 && row.rank < k_ ? 1 : 0;
            }
            if (row.valid > 0) {
                ++counts[labelled];
                counts[in_set] += row.in_set ? 1 : 0;
            }
        }
    }

private:
    std::int32_t k_;
};

std::uint32_t k_of(const MetricContext& context) {
    const auto text = context.parameters.find("k");
    std::uint32_t k = 1;
    if (text != context.parameters.end())
        std::from_chars(text->second.data(), text->second.data() + text->second.size(), k);
    return k;
}

Estimate proportion(const MetricContext& context, std::int64_t part, std::int64_t n) {
    Estimate value;
    value.n = static_cast<std::uint64_t>(n);
    value.value = static_cast<double>(part) / static_cast<double>(n);
    if (!context.value_only)
        value.interval = wilson(static_cast<std::uint64_t>(part), value.n, context.level);
    return value;
}

}  // namespace

std::unique_ptr<Accumulator> accumulate_predictions(const MetricContext& context) {
    return std::make_unique<Predictions>(static_cast<std::int32_t>(k_of(context)));
}

Estimate top_k_value(const MetricContext& context, std::span<const std::int64_t> state) {
    const std::uint32_t k = k_of(context);
    Estimate value;
    if (state[items] == 0) {
        value.undefined = "no item has a single label";
    } else if (k > 1 && context.shape.kept != 0 && k > context.shape.kept) {
        value.undefined =
            fmt::format("the store keeps only the best {} of each row, so rank {} is unknown",
                        context.shape.kept, k);
    } else if (k > 1 && !context.shape.ranking) {
        value.undefined = "the class map gives one decision, not a ranking";
    } else {
        value = proportion(context, state[hits], state[items]);
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
    return proportion(context, state[in_set], state[labelled]);
}

}  // namespace assay::families

namespace assay::rows {
namespace {

using namespace families;

std::string fixed_top_k(const Parameters& p) {
    return p.at("k") == "1" ? "top1.first_index" : "topk.lower_index";
}
std::string fixed_real(const Parameters&) {
    return "real.in_set";
}

}  // namespace

void add_accuracy(MetricTable& table) {
    using enum Needs;
    table.push_back({.name = "topk",
                     .title = "Top-k accuracy",
                     .formula = "proportion of items whose label is among the k classes with the "
                                "highest scores; equal scores are ranked in class order",
                     .parameters = {{"k", "1", "how many of the highest scores count", {}, 1, 100}},
                     .needs = static_cast<unsigned>(labels),
                     .unit = Unit::proportion,
                     .origin = "ILSVRC (Russakovsky et al. 2015)",
                     .definition = fixed_top_k,
                     .accumulate = accumulate_predictions,
                     .value = top_k_value,
                     .paired = PairedTest::mcnemar_top_k,
                     .numbered_by = "k",
                     .variants = {{{"k", "1"}}, {{"k", "5"}}}});
    table.push_back({.name = "real",
                     .title = "ReaL accuracy",
                     .formula = "proportion of items with a valid label whose predicted class is "
                                "one of the valid labels",
                     .needs = static_cast<unsigned>(label_sets),
                     .unit = Unit::proportion,
                     .origin = "Beyer et al. 2020, Are we done with ImageNet?",
                     .definition = fixed_real,
                     .accumulate = accumulate_predictions,
                     .value = real_value,
                     .paired = PairedTest::mcnemar_in_set,
                     .with_sets = true});
}

}  // namespace assay::rows
