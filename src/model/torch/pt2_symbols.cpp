#include "model/torch/pt2_symbols.h"

#include <ATen/core/Tensor.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/refuse.h"

namespace assay::torch_plugin {
namespace symbols {
namespace {

using c10::IValue;
using Symbols = std::span<const IValue>;

const IValue& symbol_at(Symbols given, std::size_t i) {
    if (i >= given.size()) refuse("too few arguments");
    return given[i];
}

bool is_whole(const IValue& x) {
    return x.isInt() || x.isBool();
}

std::int64_t whole(const IValue& x) {
    if (x.isBool()) return x.toBool() ? 1 : 0;
    if (!x.isInt()) refuse(fmt::format("a {} instead of a whole number", x.tagKind()));
    return x.toInt();
}

double real_number(const IValue& x) {
    if (x.isDouble()) return x.toDouble();
    return static_cast<double>(whole(x));
}

bool truth(const IValue& x) {
    return x.isBool() ? x.toBool() : real_number(x) != 0;
}

/// For two integers, the result is exact or an error; otherwise it is in double precision.
template <bool (*Exact)(std::int64_t, std::int64_t, std::int64_t*),
          double (*Rounded)(double, double)>
IValue arithmetic(Symbols given) {
    const IValue& a = symbol_at(given, 0);
    const IValue& b = symbol_at(given, 1);
    if (!is_whole(a) || !is_whole(b)) return Rounded(real_number(a), real_number(b));
    std::int64_t out = 0;
    if (!Exact(whole(a), whole(b), &out))
        refuse(fmt::format("{} and {}: the result is not a 64-bit number", whole(a), whole(b)));
    return out;
}

bool add_exact(std::int64_t a, std::int64_t b, std::int64_t* out) {
    return !__builtin_add_overflow(a, b, out);
}
bool subtract_exact(std::int64_t a, std::int64_t b, std::int64_t* out) {
    return !__builtin_sub_overflow(a, b, out);
}
bool multiply_exact(std::int64_t a, std::int64_t b, std::int64_t* out) {
    return !__builtin_mul_overflow(a, b, out);
}
/// Python's // and %: rounds towards minus infinity, and the remainder has the divisor's sign.
bool floor_divide_exact(std::int64_t a, std::int64_t b, std::int64_t* out) {
    if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return false;
    *out = a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
    return true;
}
bool remainder_exact(std::int64_t a, std::int64_t b, std::int64_t* out) {
    if (b == 0) return false;
    if (b == -1) return *out = 0, true;
    *out = a % b;
    if (*out != 0 && (*out < 0) != (b < 0)) *out += b;
    return true;
}
double add_rounded(double a, double b) {
    return a + b;
}
double subtract_rounded(double a, double b) {
    return a - b;
}
double multiply_rounded(double a, double b) {
    return a * b;
}
double floor_divide_rounded(double a, double b) {
    return std::floor(a / b);
}
double remainder_rounded(double a, double b) {
    return a - b * std::floor(a / b);
}

IValue true_divide(Symbols given) {
    const double divisor = real_number(symbol_at(given, 1));
    if (divisor == 0) refuse("a division by zero");
    return real_number(symbol_at(given, 0)) / divisor;
}

IValue power(Symbols given) {
    const IValue& base = symbol_at(given, 0);
    const IValue& exponent = symbol_at(given, 1);
    if (!is_whole(base) || !is_whole(exponent) || whole(exponent) < 0)
        return std::pow(real_number(base), real_number(exponent));
    const std::int64_t b = whole(base);
    const std::int64_t n = whole(exponent);
    if (b == -1) return n % 2 == 0 ? std::int64_t{1} : std::int64_t{-1};
    if (b == 0 || b == 1) return n == 0 ? std::int64_t{1} : b;
    std::int64_t out = 1;
    for (std::int64_t i = 0; i < n; ++i) {
        if (!multiply_exact(out, b, &out))
            refuse(fmt::format("{} to the power {}: no 64-bit number", b, n));
    }
    return out;
}

template <bool (*Holds)(double, double), bool (*HoldsExactly)(std::int64_t, std::int64_t)>
IValue compare(Symbols given) {
    const IValue& a = symbol_at(given, 0);
    const IValue& b = symbol_at(given, 1);
    if (is_whole(a) && is_whole(b)) return HoldsExactly(whole(a), whole(b));
    return Holds(real_number(a), real_number(b));
}
template <class Number>
bool equal(Number a, Number b) {
    return a == b;
}
template <class Number>
bool unequal(Number a, Number b) {
    return a != b;
}
template <class Number>
bool below(Number a, Number b) {
    return a < b;
}
template <class Number>
bool at_most(Number a, Number b) {
    return a <= b;
}
template <class Number>
bool above(Number a, Number b) {
    return a > b;
}
template <class Number>
bool at_least(Number a, Number b) {
    return a >= b;
}

IValue negative(Symbols given) {
    const IValue& x = symbol_at(given, 0);
    if (!is_whole(x)) return -real_number(x);
    std::int64_t out = 0;
    if (!subtract_exact(0, whole(x), &out)) refuse("the result is not a 64-bit number");
    return out;
}
IValue same(Symbols given) {
    return symbol_at(given, 0);
}
IValue negation(Symbols given) {
    return !truth(symbol_at(given, 0));
}
IValue both(Symbols given) {
    return truth(symbol_at(given, 0)) && truth(symbol_at(given, 1));
}
IValue either(Symbols given) {
    return truth(symbol_at(given, 0)) || truth(symbol_at(given, 1));
}

/// Python's int(), math.floor, math.ceil, which give an integer.
template <double (*Rounded)(double)>
IValue rounded(Symbols given) {
    const IValue& x = symbol_at(given, 0);
    if (is_whole(x)) return whole(x);
    const double out = Rounded(real_number(x));
    if (!(std::abs(out) < 9.2e18)) refuse("the result is not a 64-bit number");
    return static_cast<std::int64_t>(out);
}
double towards_zero(double x) {
    return std::trunc(x);
}
double downwards(double x) {
    return std::floor(x);
}
double upwards(double x) {
    return std::ceil(x);
}

IValue as_real(Symbols given) {
    return real_number(symbol_at(given, 0));
}
IValue square_root(Symbols given) {
    return std::sqrt(real_number(symbol_at(given, 0)));
}
IValue larger(Symbols given) {
    const IValue& a = symbol_at(given, 0);
    const IValue& b = symbol_at(given, 1);
    return real_number(a) >= real_number(b) ? a : b;
}
IValue smaller(Symbols given) {
    const IValue& a = symbol_at(given, 0);
    const IValue& b = symbol_at(given, 1);
    return real_number(a) <= real_number(b) ? a : b;
}
IValue choice(Symbols given) {
    return truth(symbol_at(given, 0)) ? symbol_at(given, 1) : symbol_at(given, 2);
}

const at::Tensor& tensor_at(Symbols given, std::size_t i) {
    const IValue& x = symbol_at(given, i);
    if (!x.isTensor()) refuse(fmt::format("a {} instead of a tensor", x.tagKind()));
    return x.toTensor();
}
IValue size_of(Symbols given) {
    return tensor_at(given, 0).size(whole(symbol_at(given, 1)));
}
IValue stride_of(Symbols given) {
    return tensor_at(given, 0).stride(whole(symbol_at(given, 1)));
}
IValue numbers_of(Symbols given) {
    return tensor_at(given, 0).numel();
}

constexpr std::array<std::pair<std::string_view, SymbolFunction>, 32> kSymbolFunctions = {{
    {"_operator.add", arithmetic<add_exact, add_rounded>},
    {"_operator.sub", arithmetic<subtract_exact, subtract_rounded>},
    {"_operator.mul", arithmetic<multiply_exact, multiply_rounded>},
    {"_operator.floordiv", arithmetic<floor_divide_exact, floor_divide_rounded>},
    {"_operator.mod", arithmetic<remainder_exact, remainder_rounded>},
    {"_operator.truediv", true_divide},
    {"_operator.pow", power},
    {"_operator.neg", negative},
    {"_operator.pos", same},
    {"_operator.eq", compare<equal<double>, equal<std::int64_t>>},
    {"_operator.ne", compare<unequal<double>, unequal<std::int64_t>>},
    {"_operator.lt", compare<below<double>, below<std::int64_t>>},
    {"_operator.le", compare<at_most<double>, at_most<std::int64_t>>},
    {"_operator.gt", compare<above<double>, above<std::int64_t>>},
    {"_operator.ge", compare<at_least<double>, at_least<std::int64_t>>},
    {"_operator.and_", both},
    {"_operator.or_", either},
    {"math.floor", rounded<downwards>},
    {"math.ceil", rounded<upwards>},
    {"math.trunc", rounded<towards_zero>},
    {"torch.sym_int", rounded<towards_zero>},
    {"torch.sym_float", as_real},
    {"torch.sym_not", negation},
    {"torch.sym_max", larger},
    {"torch.sym_min", smaller},
    {"torch.sym_ite", choice},
    {"torch.sym_sqrt", square_root},
    {"torch._sym_sqrt", square_root},
    {"torch.ops.aten.sym_size.int", size_of},
    {"torch.ops.aten.sym_stride.int", stride_of},
    {"torch.ops.aten.sym_numel.default", numbers_of},
    {"torch.ops.aten.sym_storage_offset.default",
     [](Symbols given) -> IValue { return tensor_at(given, 0).storage_offset(); }},
}};

}  // namespace
}  // namespace symbols

SymbolFunction find_symbol_function(std::string_view target) {
    for (const auto& [name, function] : symbols::kSymbolFunctions) {
        if (name == target) return function;
    }
    return nullptr;
}

}  // namespace assay::torch_plugin
