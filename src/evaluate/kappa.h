// Cohen's kappa of being correct, which error consistency is.
#pragma once

#include <array>
#include <optional>

namespace assay {

/// Both correct, only one, only the other, both incorrect.
using AgreementCells = std::array<double, 4>;

/// How often two would agree by chance: p q + (1 - p)(1 - q).
double agreement_by_chance(const AgreementCells& cells);
/// Nothing where chance alone agrees always, or where there is no item.
std::optional<double> kappa_of(const AgreementCells& cells);

}  // namespace assay
