// What classifiers cost: parameters, multiply-accumulates, memory, latency (docs/cost.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/estimate.h"
#include "assay/model/classifier.h"
#include "assay/progress.h"
#include "assay/report.h"

namespace assay {

struct CostOptions {
    /// Images at once; none: 1, or the only batch that a model takes.
    std::optional<std::int64_t> batch;
    std::int64_t threads = 1;  ///< of the timed runs
    std::int64_t runs = 20;    ///< timed ones, after three that warm up; 0: no latency
    bool operators = false;    ///< the report lists every operator
    bool nodes = false;        ///< and every node
};
/// Fewer runs give no quartiles worth the name.
inline constexpr std::int64_t least_cost_runs = 20;

/// One classifier's cost. Multiply-accumulates (MAC) and FLOPs (2 per MAC) are per image, memory
/// and latency of the whole batch.
struct ClassifierCost {
    std::string name;
    ModelSpec spec;
    ModelFacts facts;
    std::uint64_t file_bytes = 0;  ///< with the files beside it that hold weights
    ModelCost cost;

    double macs_per_image() const;
    /// Without products of two factors that both depend on the image.
    double macs_without_attention() const;
    /// Of the timed runs, in milliseconds; undefined without any. The interval holds the middle
    /// half of them (quartiles by linear interpolation), no confidence.
    Estimate latency() const;
};

/// Opens each model, watches one run and measures others, one model after the other. Throws usage:
/// options out of range; what open_classifier() and Classifier::cost() throw.
std::vector<ClassifierCost> cost_of_models(std::span<const ModelSpec> specs,
                                           const ClassifierOptions& opening,
                                           const CostOptions& options,
                                           const ProgressCallback& progress = {});

Report report_of(std::span<const ClassifierCost> results, const CostOptions& options);

}  // namespace assay
