#include "model/torch/pt2_rules.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace assay::torch_plugin {
namespace {

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

/// True if an argument was fixed at export to something other than none, false or 0.
bool is_on(const Pt2Call& call, std::string_view argument) {
    const Pt2Feed* feed = call.feed(argument);
    if (feed == nullptr) return false;
    const c10::IValue* value = feed->constant();
    if (value == nullptr) return true;
    if (value->isBool()) return value->toBool();
    if (value->isInt()) return value->toInt() != 0;
    if (value->isDouble()) return value->toDouble() != 0;
    return false;
}

constexpr const char* kAfterEval = "; export the model after eval()";

}  // namespace

bool is_assertion(const std::string& target) {
    constexpr std::array<std::string_view, 10> checks = {
        "torch.ops.aten._assert_async.",
        "torch.ops.aten._assert_scalar.",
        "torch.ops.aten._assert_tensor_metadata.",
        "torch.ops.aten._functional_assert_async.",
        "torch.ops.aten._functional_assert_scalar.",
        "torch.ops.aten.sym_constrain_range.",
        "torch.ops.aten.sym_constrain_range_for_size.",
        "torch.ops.aten._functional_sym_constrain_range.",
        "torch.ops.aten._functional_sym_constrain_range_for_size.",
        "torch.ops.aten._make_dep_token.",
    };
    return std::ranges::any_of(checks, [&](std::string_view c) { return target.starts_with(c); });
}

bool depends_on_strides(const std::string& qualified) {
    constexpr std::array<std::string_view, 6> names = {
        "aten::as_strided",     "aten::as_strided_",        "aten::as_strided_copy",
        "aten::_reshape_alias", "aten::as_strided_scatter", "aten::sym_stride"};
    return is_one_of(names, qualified);
}

bool may_return_its_input(const std::string& qualified) {
    constexpr std::array<std::string_view, 6> names = {
        "aten::dropout",       "aten::feature_dropout",       "aten::lift_fresh",
        "aten::alpha_dropout", "aten::feature_alpha_dropout", "aten::type_as"};
    return is_one_of(names, qualified);
}

std::string randomness_in(const std::string& qualified, const Pt2Call& call) {
    constexpr std::array<std::string_view, 28> random = {"aten::bernoulli",
                                                         "aten::bernoulli_",
                                                         "aten::binomial",
                                                         "aten::cauchy_",
                                                         "aten::exponential_",
                                                         "aten::geometric_",
                                                         "aten::log_normal_",
                                                         "aten::multinomial",
                                                         "aten::normal",
                                                         "aten::normal_",
                                                         "aten::poisson",
                                                         "aten::rand",
                                                         "aten::rand_like",
                                                         "aten::randint",
                                                         "aten::randint_like",
                                                         "aten::randn",
                                                         "aten::randn_like",
                                                         "aten::random",
                                                         "aten::random_",
                                                         "aten::randperm",
                                                         "aten::uniform",
                                                         "aten::uniform_",
                                                         "aten::_fused_dropout",
                                                         "aten::_standard_gamma",
                                                         "aten::_sample_dirichlet",
                                                         "aten::normal_functional",
                                                         "aten::exponential",
                                                         "aten::geometric"};
    if (is_one_of(random, qualified)) return std::string("it draws random numbers") + kAfterEval;
    constexpr std::array<std::string_view, 14> dropouts = {"aten::dropout",
                                                           "aten::dropout_",
                                                           "aten::feature_dropout",
                                                           "aten::feature_dropout_",
                                                           "aten::alpha_dropout",
                                                           "aten::alpha_dropout_",
                                                           "aten::feature_alpha_dropout",
                                                           "aten::feature_alpha_dropout_",
                                                           "aten::native_dropout",
                                                           "aten::lstm",
                                                           "aten::gru",
                                                           "aten::rnn_tanh",
                                                           "aten::rnn_relu",
                                                           "aten::_cudnn_rnn"};
    if (is_one_of(dropouts, qualified) && is_on(call, "train") &&
        (is_on(call, "p") || is_on(call, "dropout")))
        return std::string("dropout in training mode: its result would be random") + kAfterEval;
    if (is_on(call, "dropout_p"))
        return std::string("attention with dropout: its result would be random") + kAfterEval;
    if (qualified.starts_with("aten::rrelu") && is_on(call, "training"))
        return std::string("rrelu in training mode: its result would be random") + kAfterEval;
    return "";
}

std::string batch_dependence_of(const std::string& qualified, const Pt2Call& call) {
    constexpr std::array<std::string_view, 8> norms = {"aten::batch_norm",
                                                       "aten::_batch_norm_impl_index",
                                                       "aten::native_batch_norm",
                                                       "aten::cudnn_batch_norm",
                                                       "aten::miopen_batch_norm",
                                                       "aten::_native_batch_norm_legit",
                                                       "aten::_native_batch_norm_legit_functional",
                                                       "aten::_batch_norm_with_update"};
    const bool batch_norm = is_one_of(norms, qualified);
    if (batch_norm && (is_on(call, "training") || qualified == "aten::_batch_norm_with_update"))
        return std::string(
                   "batch norm in training mode: the images of a batch would change each "
                   "other's scores") +
               kAfterEval;
    return "";
}

}  // namespace assay::torch_plugin
