#include "assay/model/cost.h"

#include <array>

namespace assay {
namespace {

template <class Part>
std::uint64_t sum_over(const std::vector<OperatorCost>& operators, Part&& part) {
    std::uint64_t sum = 0;
    for (const OperatorCost& one : operators) sum += part(one);
    return sum;
}

}  // namespace

std::string_view name_of(OperatorKind kind) {
    constexpr std::array<std::string_view, 7> names = {
        "product", "elementwise", "normalisation", "softmax", "pooling", "movement", "unknown"};
    return names.at(static_cast<std::size_t>(kind));
}

std::uint64_t ModelCost::macs() const {
    return sum_over(operators, [](const OperatorCost& one) { return one.macs; });
}

std::uint64_t ModelCost::activation_macs() const {
    return sum_over(operators, [](const OperatorCost& one) { return one.activation_macs; });
}

std::uint64_t ModelCost::calls_of(OperatorKind kind) const {
    return sum_over(operators,
                    [&](const OperatorCost& one) { return one.kind == kind ? one.calls : 0; });
}

std::uint64_t ModelCost::elements_of(OperatorKind kind) const {
    return sum_over(operators,
                    [&](const OperatorCost& one) { return one.kind == kind ? one.elements : 0; });
}

}  // namespace assay
