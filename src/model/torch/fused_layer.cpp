#include "model/torch/fused_layer.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/hardswish.h>
#include <ATen/ops/silu.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>

#include "assay/error.h"

namespace assay::torch_plugin {
namespace {

/// oneDNN's convolution with prepacked weights; nothing if this LibTorch lacks it.
auto packed_operator(const char* name) {
    return c10::Dispatcher::singleton().findSchema({name, ""});
}

const auto& pack_operator() {
    static const auto op = packed_operator("mkldnn_prepacked::conv2d_prepack");
    return op;
}

const auto& packed_run_operator() {
    static const auto op = packed_operator("mkldnn_prepacked::conv2d_run");
    return op;
}

}  // namespace

FusedLayer::FusedLayer(const DescribedStep& layer)
    : convolves_(layer.meaning == Meaning::convolution),
      weight_(layer.weight.contiguous()),
      bias_(layer.bias),
      shape_(layer.shape) {}

/// Computed in double precision: (W x + b - mean) * factor + bias, where factor = scale /
/// sqrt(variance + epsilon), is (factor W) x + ((b - mean) * factor + bias).
void FusedLayer::fold(const NormConstants& norm) {
    const auto exact = [](const at::Tensor& t) { return t.to(at::kDouble); };
    at::Tensor factor = exact(norm.variance).add(norm.epsilon).rsqrt();
    if (norm.scale.defined()) factor = factor.mul(exact(norm.scale));
    at::Tensor shift = exact(norm.mean).neg();
    if (bias_.defined()) shift = shift.add(exact(bias_));
    shift = shift.mul(factor);
    if (norm.bias.defined()) shift = shift.add(exact(norm.bias));
    weight_ = exact(weight_).mul(factor.view({-1, 1, 1, 1})).to(at::kFloat);
    bias_ = shift.to(at::kFloat);
}

/// The kernel with packed weights checks less than the library's own convolution. So this checks
/// the input.
bool FusedLayer::fits(const at::Tensor& input) const {
    if (!pack_operator() || !packed_run_operator()) return false;
    if (!input.is_cpu() || input.scalar_type() != at::kFloat || input.dim() != 4) return false;
    if (input.suggest_memory_format() != at::MemoryFormat::ChannelsLast || input.numel() == 0)
        return false;
    if (!input.is_contiguous(at::MemoryFormat::ChannelsLast)) return false;
    if (input.size(1) != weight_.size(1) * shape_.groups) return false;
    for (std::size_t d = 0; d < 2; ++d) {
        const auto side = static_cast<std::int64_t>(d) + 2;
        const std::int64_t reach = (weight_.size(side) - 1) * shape_.dilations[d] + 1;
        if (input.size(side) + 2 * shape_.padding[d] < reach) return false;
    }
    return true;
}

at::Tensor FusedLayer::packed_product(const at::Tensor& input, bool relu) const {
    std::call_once(once_, [&] {
        torch::jit::Stack stack = {weight_,
                                   bias_.defined() ? c10::IValue(bias_) : c10::IValue(),
                                   shape_.strides,
                                   shape_.padding,
                                   shape_.dilations,
                                   shape_.groups,
                                   input.sizes().vec(),
                                   std::string(relu ? "relu" : "none")};
        pack_operator()->callBoxed(&stack);
        packed_ = std::move(stack.front());
    });
    torch::jit::Stack stack = {input, packed_};
    packed_run_operator()->callBoxed(&stack);
    return stack.front().toTensor();
}

at::Tensor FusedLayer::product(const at::Tensor& input) const {
    if (convolves_) {
        return at::convolution(input, weight_, bias_, shape_.strides, shape_.padding,
                               shape_.dilations, false, std::vector<std::int64_t>(2, 0),
                               shape_.groups);
    }
    if (!bias_.defined() || input.dim() < 2 || input.size(-1) != weight_.size(0))
        return bias_.defined() ? input.matmul(weight_).add(bias_) : input.matmul(weight_);
    std::vector<std::int64_t> sizes = input.sizes().vec();
    sizes.back() = weight_.size(1);
    return at::addmm(bias_, input.reshape({-1, weight_.size(0)}), weight_).view(sizes);
}

at::Tensor FusedLayer::activated(const at::Tensor& y, bool in_place) const {
    at::Tensor own = y;
    switch (activation_) {
        case LayerActivation::none:
            return y;
        case LayerActivation::relu:
            return in_place ? own.relu_() : own.relu();
        case LayerActivation::relu6:
            return in_place ? own.clamp_(0, 6) : own.clamp(0, 6);
        case LayerActivation::silu:
            return in_place ? at::silu_(own) : at::silu(own);
        case LayerActivation::hard_swish:
            return in_place ? at::hardswish_(own) : at::hardswish(own);
        case LayerActivation::gelu:
            return in_place ? at::gelu_(own, "none") : at::gelu(own, "none");
        case LayerActivation::gelu_tanh:
            return in_place ? at::gelu_(own, "tanh") : at::gelu(own, "tanh");
    }
    return y;
}

at::Tensor FusedLayer::run(const at::Tensor& input, const at::Tensor& added) const {
    const bool in_place = !c10::GradMode::is_enabled();
    if (convolves_ && in_place && fits(input)) {
        const bool relu = activation_ == LayerActivation::relu && !added.defined();
        at::Tensor y = packed_product(input, relu);
        if (relu) return y;
        if (added.defined()) {
            const bool same = added.sizes() == y.sizes() && added.scalar_type() == y.scalar_type();
            y = same ? y.add_(added) : y.add(added);
        }
        return activated(y, true);
    }
    const at::Tensor y = product(input);
    return activated(added.defined() ? y.add(added) : y, in_place);
}

namespace {

/// True if a tensor has one number per channel.
bool has_channels(const NormConstants& norm, std::int64_t channels) {
    const auto fits = [&](const at::Tensor& t) { return t.dim() == 1 && t.size(0) == channels; };
    return norm.mean.defined() && norm.variance.defined() && fits(norm.mean) &&
           fits(norm.variance) && (!norm.scale.defined() || fits(norm.scale)) &&
           (!norm.bias.defined() || fits(norm.bias));
}

class FusionSearch {
public:
    FusionSearch(std::span<const DescribedStep> steps, std::span<const int> wanted)
        : steps_(steps), taken_(steps.size(), false) {
        for (std::size_t i = 0; i < steps.size(); ++i) {
            for (const int v : steps[i].reads) readers_[v].push_back(i);
        }
        // Readers that are not steps, so that a fused layer cannot replace them.
        for (const int v : wanted) readers_[v].push_back(steps.size());
    }

    std::vector<Fusion> all() {
        std::vector<Fusion> out;
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            const Meaning meaning = steps_[i].meaning;
            if (taken_[i]) continue;
            if (meaning != Meaning::convolution && meaning != Meaning::product) continue;
            Fusion found = from(i);
            if (meaning == Meaning::product && found.steps.size() == 1) continue;
            for (const std::size_t step : found.steps) taken_[step] = true;
            out.push_back(std::move(found));
        }
        return out;
    }

private:
    Fusion from(std::size_t first) const {
        const DescribedStep& start = steps_[first];
        const auto layer = std::make_shared<FusedLayer>(start);
        Fusion out = {{first}, start.input, -1, start.results.front(), layer};
        bool summed = false;
        while (true) {
            if (const auto silu = silu_behind(out)) {
                layer->set_activation(LayerActivation::silu);
                out.steps.insert(out.steps.end(), {silu->first, silu->second});
                out.result = steps_[silu->second].results.front();
                break;
            }
            const auto next = only_reader(out);
            if (!next) break;
            const DescribedStep& step = steps_[*next];
            if (step.meaning == Meaning::batch_norm && !summed &&
                start.meaning == Meaning::convolution &&
                has_channels(step.norm, layer->outputs())) {
                layer->fold(step.norm);
            } else if (step.meaning == Meaning::sum && !summed &&
                       start.meaning == Meaning::product && !layer->has_bias() &&
                       step.constant.defined() && step.constant.dim() == 1 &&
                       step.constant.size(0) == layer->outputs()) {
                layer->set_bias(step.constant);
            } else if (step.meaning == Meaning::sum && !summed &&
                       start.meaning == Meaning::convolution && !step.constant.defined()) {
                out.added = step.input == out.result ? step.other : step.input;
                summed = true;
            } else if (step.meaning == Meaning::activation) {
                layer->set_activation(step.activation);
                out.steps.push_back(*next);
                out.result = step.results.front();
                break;
            } else {
                break;
            }
            out.steps.push_back(*next);
            out.result = step.results.front();
        }
        return out;
    }

    std::span<const std::size_t> readers_of(int value) const {
        const auto found = readers_.find(value);
        return found == readers_.end() ? std::span<const std::size_t>() : found->second;
    }

    /// The only step that reads the current result, if it can be fused.
    std::optional<std::size_t> only_reader(const Fusion& so_far) const {
        const auto readers = readers_of(so_far.result);
        if (readers.size() != 1 || !joins(so_far, readers[0])) return std::nullopt;
        return readers[0];
    }

    /// Matches a sigmoid of the result and its product with the result.
    std::optional<std::pair<std::size_t, std::size_t>> silu_behind(const Fusion& so_far) const {
        const auto readers = readers_of(so_far.result);
        if (readers.size() != 2 || readers[0] == readers[1]) return std::nullopt;
        const std::size_t sigmoid = std::min(readers[0], readers[1]);
        const std::size_t product = std::max(readers[0], readers[1]);
        if (!joins(so_far, sigmoid) || !joins(so_far, product)) return std::nullopt;
        const DescribedStep& second = steps_[product];
        if (steps_[sigmoid].meaning != Meaning::sigmoid || !steps_[sigmoid].writes.empty() ||
            second.meaning != Meaning::multiplication)
            return std::nullopt;
        const int gate = steps_[sigmoid].results.front();
        const auto gates = readers_of(gate);
        if (gates.size() != 1 || gates[0] != product) return std::nullopt;
        return std::pair{sigmoid, product};
    }

    /// The layer is computed at the position of its last step. So no step in between may change a
    /// value, and the step itself may only change the layer's own result.
    bool joins(const Fusion& so_far, std::size_t next) const {
        if (next >= steps_.size() || taken_[next]) return false;
        for (std::size_t i = so_far.steps.front() + 1; i < next; ++i) {
            if (std::ranges::find(so_far.steps, i) == so_far.steps.end() &&
                !steps_[i].writes.empty())
                return false;
        }
        const DescribedStep& step = steps_[next];
        if (step.meaning == Meaning::other) return false;
        for (std::size_t i = 1; i < step.results.size(); ++i) {
            if (!readers_of(step.results[i]).empty()) return false;
        }
        return std::ranges::all_of(step.writes, [&](int v) { return v == so_far.result; });
    }

    std::span<const DescribedStep> steps_;
    std::map<int, std::vector<std::size_t>> readers_;
    std::vector<bool> taken_;
};

}  // namespace

std::vector<Fusion> find_fusions(std::span<const DescribedStep> steps,
                                 std::span<const int> wanted) {
    return FusionSearch(steps, wanted).all();
}

bool may_fuse() {
    const char* asked = std::getenv("ASSAY_GRAPH");
    const std::string_view word = asked == nullptr ? "" : asked;
    if (word.empty() || word == "fused") return true;
    if (word == "written") return false;
    throw Error(ErrorCode::usage,
                fmt::format("ASSAY_GRAPH is \"{}\"; allowed: written, fused (the default)", word));
}

}  // namespace assay::torch_plugin
