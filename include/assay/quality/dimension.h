// The nine quality dimensions of a classifier, each as one row of a table. Source: Hesse, Bagci,
// Schiele, Schaub-Meyer, Roth, "Beyond Accuracy: What Matters in Designing Well-Behaved Models?",
// TMLR 2026.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::quality {

enum class Dimension : std::uint8_t {
    accuracy,
    adversarial_robustness,
    c_robustness,
    ood_robustness,
    calibration_error,
    class_balance,
    object_focus,
    shape_bias,
    parameters,
};
inline constexpr std::size_t dimension_count = 9;

/// One value per dimension, in the order of the enumeration.
template <class T>
using PerDimension = std::array<T, dimension_count>;

struct DimensionFacts {
    Dimension dimension;
    std::string_view name;   ///< name in files and options: "c_robustness"
    std::string_view title;  ///< for people: "C-robustness"
    bool higher_is_better;
    double weight;        ///< default weight in QUBA; the nine add up to 6
    double low, high;     ///< range of possible values
    std::string_view is;  ///< one line that also names the images that it is measured on
};

const PerDimension<DimensionFacts>& dimension_facts();
inline const DimensionFacts& facts_of(Dimension d) {
    return dimension_facts()[static_cast<std::size_t>(d)];
}

/// Finds a dimension by its name, or by another common name ("params", "corruption robustness");
/// case, blanks, '-' and '_' do not matter.
std::optional<Dimension> find_dimension(std::string_view name);
/// The same as find_dimension(). Throws usage with the known names.
Dimension dimension_named(std::string_view name);

}  // namespace assay::quality
