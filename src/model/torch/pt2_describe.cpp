#include "model/torch/pt2_describe.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "assay/error.h"

namespace assay::torch_plugin {
namespace {

/// The arguments of a call that are the same in each run.
class KnownArguments {
public:
    KnownArguments(const Pt2Call& call, const std::function<at::Tensor(int)>& constant)
        : call_(call), constant_(constant) {}

    /// The index of a value; -1 for a constant, or for several values.
    int value(std::string_view name) const {
        const std::vector<int> values = values_of(name);
        return values.size() == 1 ? values.front() : -1;
    }

    bool has(std::string_view name) const { return call_.feed(name) != nullptr; }

    /// The value of a setting; None if it is omitted, or only known during a run.
    c10::IValue setting(std::string_view name) const {
        const auto& arguments = call_.op->schema().arguments();
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            if (arguments[i].name() == name && values_of(name).empty())
                return call_.feeds[i].fitted({}, arguments[i]);
        }
        return {};
    }

    /// Sets `whole` to false if the argument is given, but is no single-precision constant on the
    /// processor.
    at::Tensor tensor(std::string_view name, bool& whole) const {
        const std::vector<int> values = values_of(name);
        if (values.empty()) {
            const c10::IValue given = setting(name);
            whole = whole && given.isNone();
            return {};
        }
        const at::Tensor known = values.size() == 1 ? constant_(values.front()) : at::Tensor();
        whole = whole && known.defined() && known.is_cpu() && known.scalar_type() == at::kFloat;
        return known;
    }

private:
    std::vector<int> values_of(std::string_view name) const {
        std::vector<int> values;
        if (const Pt2Feed* feed = call_.feed(name)) feed->add_values(values);
        return values;
    }

    const Pt2Call& call_;
    const std::function<at::Tensor(int)>& constant_;
};

/// One number applies to both dimensions.
std::vector<std::int64_t> pair_of(const c10::IValue& value) {
    if (!value.isIntList()) return {};
    std::vector<std::int64_t> out = value.toIntVector();
    if (out.size() == 1) out.push_back(out.front());
    return out;
}

bool is_pair(const std::vector<std::int64_t>& numbers, std::int64_t least) {
    return numbers.size() == 2 && std::ranges::all_of(numbers, [&](std::int64_t n) {
               return n >= least && n <= (1 << 24);
           });
}

DescribedStep convolution_call(const KnownArguments& arguments) {
    DescribedStep out;
    bool whole = true;
    out.weight = arguments.tensor("weight", whole);
    out.bias = arguments.tensor("bias", whole);
    if (!whole || !out.weight.defined() || out.weight.dim() != 4 || out.weight.numel() == 0)
        return out;
    if (out.bias.defined() && (out.bias.dim() != 1 || out.bias.size(0) != out.weight.size(0)))
        return out;
    const c10::IValue groups = arguments.setting("groups");
    out.shape = {pair_of(arguments.setting("stride")), pair_of(arguments.setting("padding")),
                 pair_of(arguments.setting("dilation")), groups.isInt() ? groups.toInt() : 0};
    if (!is_pair(out.shape.strides, 1) || !is_pair(out.shape.padding, 0) ||
        !is_pair(out.shape.dilations, 1) || out.shape.groups < 1 ||
        out.weight.size(0) % out.shape.groups != 0)
        return out;
    if (arguments.has("transposed")) {  // aten::convolution
        const c10::IValue transposed = arguments.setting("transposed");
        if (!transposed.isBool() || transposed.toBool()) return out;
    }
    out.meaning = Meaning::convolution;
    return out;
}

/// Describes aten::batch_norm, or its variant only for evaluation.
DescribedStep norm_call(const KnownArguments& arguments) {
    DescribedStep out;
    if (arguments.has("training")) {
        const c10::IValue training = arguments.setting("training");
        if (!training.isBool() || training.toBool()) return out;
    }
    bool whole = true;
    const c10::IValue epsilon = arguments.setting("eps");
    out.norm = {arguments.tensor("weight", whole), arguments.tensor("bias", whole),
                arguments.tensor("running_mean", whole), arguments.tensor("running_var", whole),
                epsilon.isDouble() ? epsilon.toDouble() : -1};
    if (whole && out.norm.mean.defined() && out.norm.variance.defined() && out.norm.epsilon >= 0)
        out.meaning = Meaning::batch_norm;
    return out;
}

DescribedStep linear_call(const KnownArguments& arguments) {
    DescribedStep out;
    bool whole = true;
    out.weight = arguments.tensor("weight", whole);
    out.bias = arguments.tensor("bias", whole);
    if (!whole || !out.weight.defined() || !out.bias.defined() || out.weight.dim() != 2 ||
        out.weight.numel() == 0 || out.bias.dim() != 1 || out.bias.size(0) != out.weight.size(0))
        return out;
    out.weight = out.weight.t();
    out.meaning = Meaning::product;
    return out;
}

DescribedStep pair_call(const KnownArguments& arguments, Meaning meaning) {
    DescribedStep out;
    out.other = arguments.value("other");
    if (out.other < 0) return out;
    if (arguments.has("alpha")) {
        const c10::IValue alpha = arguments.setting("alpha");
        if (!alpha.isInt() || alpha.toInt() != 1) return out;
    }
    bool whole = true;
    out.constant = arguments.tensor("other", whole);
    out.meaning = meaning;
    return out;
}

DescribedStep activation_call(LayerActivation which) {
    DescribedStep out;
    out.meaning = Meaning::activation;
    out.activation = which;
    return out;
}

DescribedStep hardtanh_call(const KnownArguments& arguments) {
    const auto is = [&](const char* name, double wanted) {
        const c10::IValue bound = arguments.setting(name);
        return (bound.isDouble() || bound.isInt()) && bound.toScalar().toDouble() == wanted;
    };
    if (!is("min_val", 0) || !is("max_val", 6)) return {};
    return activation_call(LayerActivation::relu6);
}

DescribedStep gelu_call(const KnownArguments& arguments) {
    const c10::IValue how = arguments.setting("approximate");
    if (how.isString() && how.toStringRef() == "none")
        return activation_call(LayerActivation::gelu);
    if (how.isString() && how.toStringRef() == "tanh")
        return activation_call(LayerActivation::gelu_tanh);
    return {};
}

DescribedStep meaning_of_call(std::string_view name, const KnownArguments& arguments) {
    if (name.ends_with('_')) name.remove_suffix(1);
    if (name == "aten::conv2d" || name == "aten::convolution") return convolution_call(arguments);
    if (name == "aten::batch_norm" || name == "aten::_native_batch_norm_legit_no_training")
        return norm_call(arguments);
    if (name == "aten::linear") return linear_call(arguments);
    if (name == "aten::add") return pair_call(arguments, Meaning::sum);
    if (name == "aten::mul") return pair_call(arguments, Meaning::multiplication);
    if (name == "aten::relu") return activation_call(LayerActivation::relu);
    if (name == "aten::relu6") return activation_call(LayerActivation::relu6);
    if (name == "aten::hardtanh") return hardtanh_call(arguments);
    if (name == "aten::silu") return activation_call(LayerActivation::silu);
    if (name == "aten::hardswish") return activation_call(LayerActivation::hard_swish);
    if (name == "aten::gelu") return gelu_call(arguments);
    DescribedStep out;
    if (name == "aten::sigmoid") out.meaning = Meaning::sigmoid;
    return out;
}

}  // namespace

DescribedStep described_call(const std::string& qualified, const Pt2Call& call,
                             const std::function<at::Tensor(int)>& constant) {
    const KnownArguments arguments(call, constant);
    DescribedStep out;
    try {
        out = meaning_of_call(qualified, arguments);
    } catch (const Error&) {
        return {};  // the call reports the error
    } catch (const c10::Error&) {
        return {};
    }
    out.input = arguments.value(arguments.has("input") ? "input" : "self");
    if (out.input < 0) out.meaning = Meaning::other;
    return out;
}

}  // namespace assay::torch_plugin
