#include "metric/metric_rows.h"

#include <fmt/core.h>

#include "metric/families.h"

namespace assay {

void MetricRows::read_keys(std::uint64_t item, std::uint32_t begin, std::uint32_t end,
                           double* out) const {
    reader().order_keys(row_of(item), begin, end, odds()[static_cast<std::size_t>(item)], out);
}

void MetricRows::read_stored(std::uint64_t item, std::uint32_t begin, std::uint32_t end,
                             double* out) const {
    reader().wide_scores(row_of(item), begin, end, out);
}

void MetricRows::prefetch(std::uint64_t item, std::uint32_t begin, std::uint32_t end) const {
    if (!reader().is_mapped()) return;
    // A few distant cache lines of each row are needed, which no processor predicts.
    const float* const row = reader().mapped(row_of(item));
    for (std::uint32_t c = begin; c < end; c += 16) __builtin_prefetch(row + c);
}

std::string MetricRows::lacking(std::string_view needed) const {
    const Shape known = shape();
    if (!known.probabilities) return families::no_probabilities;
    if (known.full_rows) return "";
    return fmt::format("the store keeps {} only: {}", name_of(reader().store().spec().storage),
                       needed);
}

std::string MetricRows::rounding() const {
    return reader().store().spec().storage == StorageFormat::full_f16
               ? "ranked by 16-bit scores: those that round to one number are ties"
               : "";
}

}  // namespace assay
