// Shape bias on images with two cues (Geirhos et al. 2019): does a prediction follow the shape or
// the texture?
#include "core/statistics.h"
#include "metric/families.h"

namespace assay::families {
namespace {

enum : std::size_t { conflicting, for_shape, for_texture, cue_slots };

class Cues final : public Accumulator {
public:
    std::string key() const override { return "cues"; }
    std::size_t slots() const override { return cue_slots; }
    void update(std::span<std::int64_t> state, std::span<const RowFacts> rows) const override {
        for (const RowFacts& row : rows) {
            // If both cues have the same class, it is unknown which of them the prediction
            // followed.
            if (row.shape_cue < 0 || row.texture_cue < 0 || row.shape_cue == row.texture_cue)
                continue;
            std::int64_t* const counts = state.data() + row.group * cue_slots;
            ++counts[conflicting];
            counts[for_shape] += row.predicted == row.shape_cue ? 1 : 0;
            counts[for_texture] += row.predicted == row.texture_cue ? 1 : 0;
        }
    }
};

}  // namespace

std::unique_ptr<Accumulator> accumulate_cues(const MetricContext&) {
    return std::make_unique<Cues>();
}

Estimate shape_bias_value(const MetricContext& context, std::span<const std::int64_t> state) {
    Estimate value;
    value.n = static_cast<std::uint64_t>(state[for_shape] + state[for_texture]);
    if (!context.shape.no_cues.empty()) {
        value.undefined = context.shape.no_cues;
    } else if (state[conflicting] == 0) {
        value.undefined = "no item has a shape and a texture of two classes";
    } else if (value.n == 0) {
        value.undefined = "no prediction is the class of the shape or of the texture";
    } else {
        const auto hits = static_cast<std::uint64_t>(state[for_shape]);
        value.value = static_cast<double>(hits) / static_cast<double>(value.n);
        value.interval = wilson(hits, value.n, context.level);
    }
    return value;
}

}  // namespace assay::families

namespace assay::rows {
namespace {

using namespace families;

std::string fixed_shape_bias(const Parameters&) {
    return "shape_bias.either_cue";
}

}  // namespace

void add_shape_bias(MetricTable& table) {
    using enum Needs;
    table.push_back(
        {.name = "shape_bias",
         .title = "Shape bias",
         .formula = "proportion of shape among the predictions that name the class of an image's "
                    "shape or texture; images whose two cues are one class are skipped",
         .needs = static_cast<unsigned>(cues),
         .judges = false,
         .unit = Unit::proportion,
         .origin = "Geirhos et al. 2019, ImageNet-trained CNNs are biased towards texture",
         .definition = fixed_shape_bias,
         .accumulate = accumulate_cues,
         .value = shape_bias_value,
         .with_cues = true});
}

}  // namespace assay::rows
