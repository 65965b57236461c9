#include "model/torch/newer_operators.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index.h>
#include <ATen/ops/std.h>
#include <ATen/ops/std_mean.h>
#include <ATen/ops/var.h>
#include <ATen/ops/var_mean.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "core/refuse.h"
#include "model/torch/attention.h"
#include "model/torch/cost_watch.h"

namespace assay::torch_plugin {
namespace {

using at::Tensor;
using c10::IValue;
using torch::jit::Stack;

/// The arguments of one call, taken from the stack in the schema's order.
class Arguments {
public:
    Arguments(Stack& stack, std::size_t count)
        : values_(std::make_move_iterator(stack.end() - static_cast<std::ptrdiff_t>(count)),
                  std::make_move_iterator(stack.end())) {
        stack.resize(stack.size() - count);
    }

    const IValue& operator[](std::size_t i) const { return values_[i]; }
    Tensor tensor(std::size_t i) const { return values_[i].toTensor(); }
    Tensor tensor_or_none(std::size_t i) const {
        return values_[i].isNone() ? Tensor() : values_[i].toTensor();
    }
    /// None, one number, or a list.
    std::optional<std::vector<std::int64_t>> ints_or_none(std::size_t i) const {
        if (values_[i].isNone()) return std::nullopt;
        if (values_[i].isInt()) return std::vector<std::int64_t>{values_[i].toInt()};
        return values_[i].toIntVector();
    }

private:
    std::vector<IValue> values_;
};

/// Computes torch.nn.functional.scaled_dot_product_attention, as documented.
void scaled_dot_product_attention(Stack& stack) {
    const Arguments given(stack, 8);
    const Tensor query = given.tensor(0);
    Tensor key = given.tensor(1);
    Tensor value = given.tensor(2);
    const Tensor mask = given.tensor_or_none(3);
    if (given[4].toDouble() != 0.0) {
        refuse(
            "scaled_dot_product_attention with dropout: scores would be random; export the model "
            "after eval()");
    }
    const bool causal = given[5].toBool();
    if (causal && mask.defined())
        refuse("scaled_dot_product_attention has both a mask and is_causal");
    if (query.dim() < 2 || key.dim() < 2 || value.dim() < 2)
        refuse("scaled_dot_product_attention needs tensors of at least two dimensions");
    const double scale = given[6].isNone() ? 1 / std::sqrt(static_cast<double>(query.size(-1)))
                                           : given[6].toDouble();
    if (given[7].toBool() && query.dim() >= 3) {
        // Groups of queries share a key and value head.
        const std::int64_t heads = query.size(-3);
        for (Tensor* shared : {&key, &value}) {
            if (shared->dim() < 3 || shared->size(-3) < 1 || heads % shared->size(-3) != 0)
                refuse(
                    "scaled_dot_product_attention: the heads of the key do not divide those of "
                    "the query");
            *shared = shared->repeat_interleave(heads / shared->size(-3), -3);
        }
    }
    stack.emplace_back(attention(query, key, value, mask, causal, scale));
}

/// Computes x / sqrt(mean of squares over the last dimensions + eps) * weight. The default eps is
/// the distance from 1 to the next number of x's type.
void rms_norm(Stack& stack) {
    const Arguments given(stack, 4);
    const Tensor x = given.tensor(0);
    const std::vector<std::int64_t> shape =
        given.ints_or_none(1).value_or(std::vector<std::int64_t>());
    const Tensor weight = given.tensor_or_none(2);
    if (shape.empty() || static_cast<std::int64_t>(shape.size()) > x.dim())
        refuse("rms_norm over more dimensions than its input has, or over none");
    std::vector<std::int64_t> axes;
    for (std::size_t d = 1; d <= shape.size(); ++d) {
        const auto axis = -static_cast<std::int64_t>(d);
        if (x.size(axis) != shape[shape.size() - d])
            refuse("rms_norm: normalized_shape is not the input's");
        axes.push_back(axis);
    }
    double eps = std::numeric_limits<float>::epsilon();
    if (x.scalar_type() == at::kDouble) eps = std::numeric_limits<double>::epsilon();
    if (!given[3].isNone()) eps = given[3].toDouble();
    const Tensor normal = x.mul(x.mul(x).mean(axes, true).add(eps).rsqrt());
    stack.emplace_back(weight.defined() ? normal.mul(weight) : normal);
}

/// Keeps dimensions with a size other than 1.
void squeeze_dims(Stack& stack) {
    const Arguments given(stack, 2);
    Tensor x = given.tensor(0);
    std::vector<std::int64_t> dims = given.ints_or_none(1).value_or(std::vector<std::int64_t>());
    for (std::int64_t& d : dims) {
        if (d < -x.dim() || d >= x.dim())
            refuse(fmt::format("squeeze of dimension {} of a tensor that has {}", d, x.dim()));
        if (d < 0) d += x.dim();
    }
    std::ranges::sort(dims, std::greater<>());
    for (const std::int64_t d : dims) x = x.squeeze(d);
    stack.emplace_back(std::move(x));
}

template <bool All>
void test_dims(Stack& stack) {
    const Arguments given(stack, 3);
    const Tensor x = given.tensor(0).to(at::kBool);
    std::vector<std::int64_t> dims = given.ints_or_none(1).value_or(std::vector<std::int64_t>());
    if (dims.empty()) {
        for (std::int64_t d = 0; d < x.dim(); ++d) dims.push_back(d);
    }
    const Tensor out = All ? x.to(at::kByte).amin(dims, given[2].toBool())
                           : x.to(at::kByte).amax(dims, given[2].toBool());
    stack.emplace_back(out.to(at::kBool));
}

/// The number that a variance's divisor subtracts from the count; the default is Bessel's 1.
std::int64_t correction_of(const IValue& given) {
    if (given.isNone()) return 1;
    const double x = given.isInt() ? static_cast<double>(given.toInt()) : given.toDouble();
    if (x != std::floor(x) || std::abs(x) > 1e15)
        refuse(fmt::format("a variance with a correction of {} is not supported", x));
    return static_cast<std::int64_t>(x);
}

at::OptionalIntArrayRef optional_ref(const std::optional<std::vector<std::int64_t>>& dims) {
    return dims ? at::OptionalIntArrayRef(c10::IntArrayRef(*dims)) : at::OptionalIntArrayRef();
}

template <auto Function>
void spread(Stack& stack) {
    const Arguments given(stack, 4);
    const auto dims = given.ints_or_none(1);
    stack.emplace_back(
        Function(given.tensor(0), optional_ref(dims), correction_of(given[2]), given[3].toBool()));
}

template <auto Function>
void spread_and_mean(Stack& stack) {
    const Arguments given(stack, 4);
    const auto dims = given.ints_or_none(1);
    auto [first, second] =
        Function(given.tensor(0), optional_ref(dims), correction_of(given[2]), given[3].toBool());
    stack.emplace_back(std::move(first));
    stack.emplace_back(std::move(second));
}

Tensor var(const Tensor& x, at::OptionalIntArrayRef dims, std::int64_t correction, bool keep) {
    return at::var(x, dims, correction, keep);
}
Tensor standard_deviation(const Tensor& x, at::OptionalIntArrayRef dims, std::int64_t correction,
                          bool keep) {
    return at::std(x, dims, correction, keep);
}
std::tuple<Tensor, Tensor> var_mean(const Tensor& x, at::OptionalIntArrayRef dims,
                                    std::int64_t correction, bool keep) {
    return at::var_mean(x, dims, correction, keep);
}
std::tuple<Tensor, Tensor> std_mean(const Tensor& x, at::OptionalIntArrayRef dims,
                                    std::int64_t correction, bool keep) {
    return at::std_mean(x, dims, correction, keep);
}

/// Exports in core operators use this for a batch norm in evaluation mode. The last two results are
/// for training.
void batch_norm_without_training(Stack& stack) {
    const Arguments given(stack, 7);
    const Tensor x = given.tensor(0);
    stack.emplace_back(at::batch_norm(x, given.tensor_or_none(1), given.tensor_or_none(2),
                                      given.tensor(3), given.tensor(4), false, given[5].toDouble(),
                                      given[6].toDouble(), false));
    stack.emplace_back(at::empty({0}, x.options()));
    stack.emplace_back(at::empty({0}, x.options()));
}

/// The fused attention of a processor. Its second result (logsumexp) is for the backward pass.
void fused_attention(Stack& stack) {
    const Arguments given(stack, 7);
    const Tensor query = given.tensor(0);
    if (given[3].toDouble() != 0.0)
        refuse("attention with dropout: scores would be random; export the model after eval()");
    const double scale = given[6].isNone() ? 1 / std::sqrt(static_cast<double>(query.size(-1)))
                                           : given[6].toDouble();
    stack.emplace_back(attention(query, given.tensor(1), given.tensor(2), given.tensor_or_none(5),
                                 given[4].toBool(), scale));
    stack.emplace_back(at::empty({0}, query.options()));
}

/// The operator does not check bounds, so this code does.
void index_without_check(Stack& stack) {
    const Arguments given(stack, 2);
    stack.emplace_back(at::index(given.tensor(0), given[1].to<at::List<c10::optional<Tensor>>>()));
}

void prelu(Stack& stack) {
    const Arguments given(stack, 2);
    const Tensor x = given.tensor(0);
    stack.emplace_back(at::where(x.gt(0), x, x.mul(given.tensor(1))));
}

double lanczos3(double x) {
    x = std::abs(x);
    if (x >= 3) return 0;
    if (x < 1e-9) return 1;
    const double turned = std::numbers::pi * x;
    return 3 * std::sin(turned) * std::sin(turned / 3) / (turned * turned);
}

/// Row i has the contributions of each of `from` positions to position i of `to`. The three
/// lobes of the window are as wide as the larger spacing: that of the new or of the old
/// positions.
Tensor lanczos_weights(std::int64_t from, std::int64_t to, bool align_corners,
                       std::optional<double> factor, const Tensor& like) {
    double scale = static_cast<double>(from) / static_cast<double>(to);
    if (align_corners) {
        scale = to > 1 ? static_cast<double>(from - 1) / static_cast<double>(to - 1) : 0;
    } else if (factor && *factor > 0) {
        scale = 1 / *factor;
    }
    const double widened = std::max(scale, 1.0);
    Tensor all = at::zeros({to, from}, at::kDouble);
    for (std::int64_t i = 0; i < to; ++i) {
        const double centre = scale * (static_cast<double>(i) + 0.5);
        const auto first =
            std::max<std::int64_t>(static_cast<std::int64_t>(centre - 3 * widened + 0.5), 0);
        const std::int64_t last =
            std::min(static_cast<std::int64_t>(centre + 3 * widened + 0.5), from);
        double* const row = all.data_ptr<double>() + i * from;
        double sum = 0;
        for (std::int64_t k = first; k < last; ++k)
            sum += row[k] = lanczos3((static_cast<double>(k) - centre + 0.5) / widened);
        for (std::int64_t k = first; k < last && sum != 0; ++k) row[k] /= sum;
    }
    return all.to(like.options());
}

/// interpolate(mode="lanczos", antialias=True). Every script that calls interpolate refers to this.
Tensor lanczos(const Tensor& x, const std::vector<std::int64_t>& size, bool align_corners,
               std::optional<double> tall, std::optional<double> wide) {
    if (x.dim() != 4 || size.size() != 2 || !x.is_floating_point())
        refuse("a lanczos resize needs floats of four dimensions and two sizes");
    if (std::min({size[0], size[1], x.size(2), x.size(3)}) < 1)
        refuse(fmt::format("a lanczos resize from {} x {} to {} x {} is not possible", x.size(2),
                           x.size(3), size[0], size[1]));
    const Tensor rows = lanczos_weights(x.size(2), size[0], align_corners, tall, x);
    const Tensor columns = lanczos_weights(x.size(3), size[1], align_corners, wide, x);
    return rows.matmul(x.matmul(columns.t()));
}

std::optional<double> double_or_none(const IValue& given) {
    return given.isNone() ? std::nullopt : std::optional(given.toDouble());
}

void lanczos_by_size(Stack& stack) {
    const Arguments given(stack, 5);
    stack.emplace_back(lanczos(given.tensor(0), given[1].toIntVector(), given[2].toBool(),
                               double_or_none(given[3]), double_or_none(given[4])));
}

/// The arguments are either sizes or factors.
void lanczos_by_either(Stack& stack) {
    const Arguments given(stack, 4);
    const Tensor x = given.tensor(0);
    std::vector<std::int64_t> size = given.ints_or_none(1).value_or(std::vector<std::int64_t>());
    std::array<std::optional<double>, 2> factors;
    if (!given[3].isNone()) {
        const std::vector<double> all = given[3].toDoubleVector();
        if (all.size() != 2 || x.dim() != 4) refuse("a lanczos resize needs two factors");
        for (std::size_t d = 0; d < 2; ++d) {
            factors[d] = all[d];
            if (given[1].isNone())
                size.push_back(static_cast<std::int64_t>(
                    static_cast<double>(x.size(static_cast<std::int64_t>(d) + 2)) * all[d]));
        }
    }
    stack.emplace_back(lanczos(x, size, given[2].toBool(), factors[0], factors[1]));
}

// Older LibTorch versions also have "correction", but require `dim` and an integer.
constexpr NewerOperator kDefined[] = {
    {"aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? "
     "attn_mask=None, float dropout_p=0., bool is_causal=False, *, float? scale=None, bool "
     "enable_gqa=False) -> Tensor",
     scaled_dot_product_attention},
    {"aten::rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None) "
     "-> Tensor",
     rms_norm},
    {"aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)", squeeze_dims},
    {"aten::all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", test_dims<true>},
    {"aten::any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
     test_dims<false>},
    {"aten::var.correction_number(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool "
     "keepdim=False) -> Tensor",
     spread<var>},
    {"aten::std.correction_number(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool "
     "keepdim=False) -> Tensor",
     spread<standard_deviation>},
    {"aten::var_mean.correction_number(Tensor self, int[1]? dim=None, *, Scalar? correction=None, "
     "bool keepdim=False) -> (Tensor, Tensor)",
     spread_and_mean<var_mean>},
    {"aten::std_mean.correction_number(Tensor self, int[1]? dim=None, *, Scalar? correction=None, "
     "bool keepdim=False) -> (Tensor, Tensor)",
     spread_and_mean<std_mean>},
    {"aten::_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, "
     "Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, "
     "Tensor)",
     batch_norm_without_training},
    {"aten::_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor value, "
     "float dropout_p=0., bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> "
     "(Tensor output, Tensor logsumexp)",
     fused_attention},
    {"aten::_unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", index_without_check},
    {"aten::_prelu_kernel(Tensor self, Tensor weight) -> Tensor", prelu},
    {"aten::_upsample_lanczos2d_aa(Tensor self, int[2] output_size, bool align_corners, float? "
     "scales_h=None, float? scales_w=None) -> Tensor",
     lanczos_by_size},
    {"aten::_upsample_lanczos2d_aa.vec(Tensor input, int[]? output_size, bool align_corners, "
     "float[]? scale_factors) -> Tensor",
     lanczos_by_either},
};

// Other operators that LibTorch 2.14 has and 1.13 lacks (from their lists of schemas), except those
// for training, sparse and nested tensors and other devices.
constexpr std::array kInNewest = {
    "_batch_norm_no_update",
    "_batch_norm_with_update",
    "_chunk_cat",
    "_dyn_quant_matmul_4bit",
    "_dyn_quant_pack_4bit_weight",
    "_functional_assert_async",
    "_functional_assert_scalar",
    "_int_mm",
    "_is_all_true",
    "_is_any_true",
    "_native_batch_norm_legit",
    "_native_batch_norm_legit_functional",
    "_reshape_copy",
    "_safe_softmax",
    "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_flash_attention",
    "_scaled_dot_product_fused_attention_overrideable",
    "_scaled_mm",
    "_unsafe_index_put",
    "_unsafe_masked_index",
    "_unsafe_masked_index_put_accumulate",
    "_weight_int4pack_mm",
    "_weight_int8pack_mm",
    "_wrapped_linear_prepack",
    "_wrapped_quantized_linear_prepacked",
    "empty_permuted",
    "get_autocast_dtype",
    "hash_tensor",
    "mkldnn_rnn_layer",
    "nonzero_static",
    "quantized_max_pool3d",
    "slice_inverse",
    "sym_constrain_range",
    "sym_constrain_range_for_size",
};

bool is_there(const c10::FunctionSchema& schema) {
    return std::ranges::any_of(
        torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(schema.name())),
        [&](const auto& op) { return op->schema().overload_name() == schema.overload_name(); });
}

void define_newer(std::span<const NewerOperator> operators) {
    for (const NewerOperator& op : operators) {
        const std::string_view schema = op.schema;
        const std::string name(schema.substr(0, schema.find_first_of(".(")));
        // A node of a graph for any of these functions.
        const auto run = [name, function = op.run](Stack& stack) {
            const NodeScope scope(name, name);
            function(stack);
        };
        torch::jit::Operator made(op.schema, run, c10::AliasAnalysisKind::FROM_SCHEMA);
        if (!is_there(made.schema())) torch::jit::registerOperator(std::move(made));
    }
}

}  // namespace

void define_newer_operators() {
    define_newer(kDefined);
    define_newer(decomposed_quantisation());
}

std::string where_operator_is(std::string_view name) {
    constexpr std::string_view own = "aten::";
    if (!name.starts_with(own)) {
        return fmt::format(
            "it belongs to \"{}\", a library of operators outside PyTorch, which only Python can "
            "load; export the model to ONNX, or without that operator",
            name.substr(0, name.find("::")));
    }
    const bool newest = std::ranges::find(kInNewest, name.substr(own.size())) != kInNewest.end();
    return newest ? "LibTorch 2.14 has it: type `pip install torch` and `assay torch --build`, or "
                    "export the model with torch.export or torch.onnx.export"
                  : "no LibTorch up to 2.14 has it either; export the model with torch.export or "
                    "torch.onnx.export";
}

}  // namespace assay::torch_plugin
