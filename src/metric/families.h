// The functions behind the rows of the table (builtin.cpp), one family a file.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "assay/metric.h"

namespace assay::families {

std::unique_ptr<Accumulator> accumulate_answers(const MetricContext&);
Value top_k_value(const MetricContext&, std::span<const std::int64_t>);
Value real_value(const MetricContext&, std::span<const std::int64_t>);

std::unique_ptr<Accumulator> accumulate_label_sets(const MetricContext&);
Value asma_value(const MetricContext&, std::span<const std::int64_t>);
Value subgroup_value(const MetricContext&, std::span<const std::int64_t>);
Value variable_top_k_value(const MetricContext&, std::span<const std::int64_t>);

std::unique_ptr<Accumulator> accumulate_losses(const MetricContext&);
Value nll_value(const MetricContext&, std::span<const std::int64_t>);
Value brier_value(const MetricContext&, std::span<const std::int64_t>);
Value confidence_value(const MetricContext&, std::span<const std::int64_t>);
Value overconfidence_value(const MetricContext&, std::span<const std::int64_t>);

std::unique_ptr<Accumulator> accumulate_bins(const MetricContext&);
Value ece_value(const MetricContext&, std::span<const std::int64_t>);
std::string ece_definition(const Parameters&);
Value ece_debiased_value(const MetricContext&, std::span<const std::int64_t>);
std::string ece_debiased_definition(const Parameters&);

std::unique_ptr<Accumulator> accumulate_classes(const MetricContext&);
Value balanced_value(const MetricContext&, std::span<const std::int64_t>);
Value class_accuracy_balance_value(const MetricContext&, std::span<const std::int64_t>);
Value class_confidence_balance_value(const MetricContext&, std::span<const std::int64_t>);
Value class_balance_value(const MetricContext&, std::span<const std::int64_t>);

}  // namespace assay::families
