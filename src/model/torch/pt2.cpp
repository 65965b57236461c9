// Runs models of torch.export: LibTorch's dispatcher executes the graph's ATen calls in order, so
// that gradients flow. Calls that depend on no image are computed once.
#include <ATen/core/ivalue.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "assay/error.h"
#include "core/file.h"
#include "core/refuse.h"
#include "core/text.h"
#include "model/pt2/package.h"
#include "model/torch/network.h"
#include "model/torch/pt2_builder.h"
#include "model/torch/pt2_call.h"
#include "model/torch/pt2_step.h"
#include "model/torch/pt2_tensors.h"
#include "model/torch/scores.h"
#include "model/torch/step_graph.h"

namespace assay::torch_plugin {
namespace {

class Pt2Network final : public Network {
public:
    Pt2Network(const pt2::Package& package, const ModelSpec& spec, const ComputeOn& where,
               bool fuse)
        : spec_(spec),
          where_(where),
          output_(spec.output),
          weights_(program_weights(package)),
          steps_(build_steps(package, where, fuse)) {
        const pt2::Program& program = package.program;
        named_ = program.named_outputs;
        for (const pt2::Output& part : program.outputs) names_.push_back(part.name);
        take_input(program, where);
        if (const auto half = half_type(package)) {
            if (std::string note = precision_note(scalar_type_of(*half), where); !note.empty())
                steps_.notes.push_back(std::move(note));
        }
        if (!program.mutated.empty()) {
            steps_.notes.push_back(fmt::format(
                "the model changes its buffer {} at each call; every batch starts from the stored "
                "one",
                shortened(program.mutated.front())));
        }
    }

    at::Tensor forward(const at::Tensor& input) override {
        GraphRun run = steps_.graph.begin(steps_.graph.start.half);
        GraphValues& values = run.values;
        for (const int v : steps_.fresh) {
            c10::IValue& value = values[static_cast<std::size_t>(v)];
            value = value.toTensor().clone();
        }
        at::Tensor x = input.is_floating_point() ? as_type(input, type_) : input;
        if (steps_.needs_contiguous) x = x.contiguous();
        if (steps_.copies_image) x = x.clone();
        values[static_cast<std::size_t>(steps_.image)] = std::move(x);
        run_steps(steps_.graph.steps, run);
        Scores scores = scores_in(returned(values), output_);
        if (!scores.note.empty()) {
            const std::scoped_lock lock(mutex_);
            if (chosen_.empty()) chosen_ = std::move(scores.note);
        }
        return scores.tensor;
    }

    const WeightCost& weights() const override { return weights_; }
    std::optional<std::array<std::int64_t, 4>> declared_input() const override { return shape_; }
    std::optional<at::ScalarType> declared_type() const override {
        return type_ == at::kByte ? at::kByte : at::kFloat;
    }
    std::int64_t largest_batch() const override { return largest_batch_; }
    bool fused() const override { return steps_.fused; }
    std::unique_ptr<Network> as_written() const override {
        return steps_.fused ? load_pt2(spec_, where_, false) : nullptr;
    }

    bool rounds() const override {
        return std::ranges::any_of(steps_.graph.steps, [](const Pt2Step& step) {
            return step.qualified.starts_with("quantized_decomposed::quantize");
        });
    }
    std::vector<std::string> notes() const override {
        const std::scoped_lock lock(mutex_);
        std::vector<std::string> all = steps_.notes;
        if (!chosen_.empty()) all.push_back(chosen_);
        return all;
    }

private:
    static std::optional<pt2::NumberType> half_type(const pt2::Package& package) {
        if (is_half_precision(package.program.image_type)) return package.program.image_type;
        for (const auto* tensors : {&package.weights, &package.constants}) {
            for (const auto& [name, tensor] : *tensors) {
                if (is_half_precision(tensor.type)) return tensor.type;
            }
        }
        return std::nullopt;
    }

    void take_input(const pt2::Program& program, const ComputeOn& where) {
        type_ = computed_type(scalar_type_of(program.image_type), where.type);
        if (!c10::isFloatingType(type_) && type_ != at::kByte) {
            refuse(fmt::format("the model takes numbers of type {}; floats and bytes are supported",
                               c10::toString(type_)));
        }
        if (program.image_sizes.size() != 4) {
            refuse(fmt::format("the model takes a tensor of {} dimensions; images have 4",
                               program.image_sizes.size()));
        }
        for (std::size_t d = 0; d < 4; ++d) shape_[d] = program.image_sizes[d].size;
        const auto range = program.ranges.find(program.image_sizes[0].symbol);
        if (shape_[0] >= 0 || range == program.ranges.end()) return;
        // A lower limit below 3 is not the model's. The exporter sets it to separate the sizes 0
        // and 1 from all others.
        const std::int64_t least = range->second.least.value_or(0);
        largest_batch_ = std::max<std::int64_t>(range->second.most.value_or(0), 0);
        if (least > 2 || (largest_batch_ > 0 && largest_batch_ < 2)) {
            shape_[0] = std::max<std::int64_t>(
                std::min(least, largest_batch_ > 0 ? largest_batch_ : least), 1);
        }
    }

    /// The value that the model's forward() would return.
    c10::IValue returned(const GraphValues& values) const {
        if (steps_.outputs.size() == 1 && names_[0].empty()) return steps_.outputs[0].plain(values);
        std::vector<c10::IValue> parts;
        for (const Pt2Feed& output : steps_.outputs) parts.push_back(output.plain(values));
        if (!named_) return c10::ivalue::Tuple::create(std::move(parts));
        c10::impl::GenericDict dict(c10::StringType::get(), c10::AnyType::get());
        for (std::size_t i = 0; i < parts.size(); ++i) dict.insert(names_[i], std::move(parts[i]));
        return dict;
    }

    ModelSpec spec_;
    ComputeOn where_;
    std::string output_;
    WeightCost weights_;
    Pt2Steps steps_;
    std::vector<std::string> names_;
    bool named_ = false;
    std::array<std::int64_t, 4> shape_{};
    std::int64_t largest_batch_ = 0;
    at::ScalarType type_ = at::kFloat;
    mutable std::mutex mutex_;
    std::string chosen_;
};

/// Throws bad_input if a side without a fixed size is outside the range that the exporter recorded.
void check_sides(const pt2::Program& program, const ModelSpec& spec) {
    if (program.image_sizes.size() != 4) return;
    const bool last = spec.layout == InputLayout::nhwc;
    const std::array<std::pair<std::size_t, std::int64_t>, 2> sides = {
        {{last ? 1 : 2, spec.preprocess.height}, {last ? 2 : 3, spec.preprocess.width}}};
    for (const auto& [dimension, size] : sides) {
        const auto range = program.ranges.find(program.image_sizes[dimension].symbol);
        if (program.image_sizes[dimension].size >= 0 || range == program.ranges.end()) continue;
        const auto& [least, most] = range->second;
        if ((!least || size >= *least) && (!most || size <= *most)) continue;
        refuse(fmt::format(
            "the model takes images with sides from {} to {}, but input_size is [3, {}, {}]",
            least.value_or(0), most ? std::to_string(*most) : "any", spec.preprocess.height,
            spec.preprocess.width));
    }
}

}  // namespace

std::unique_ptr<Network> load_pt2(const ModelSpec& spec, const ComputeOn& where, bool fuse) {
    const MappedFile file(spec.path);
    const pt2::Package package = pt2::read_package(file.bytes());
    check_sides(package.program, spec);
    return std::make_unique<Pt2Network>(package, spec, where, fuse && may_fuse());
}

}  // namespace assay::torch_plugin
