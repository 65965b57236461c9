// The cost of classifiers: parameters, multiply-accumulates, memory, latency (docs/cost.md).
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
    /// The batch size. If unset, it is 1 or the only batch size that the model accepts.
    std::optional<std::int64_t> batch;
    std::int64_t threads = 1;  ///< threads of the timed runs
    std::int64_t runs = 20;    ///< timed runs, after three warm-up runs; 0 means no latency
    bool operators = false;    ///< the report lists every operator
    bool nodes = false;        ///< the report also lists every node
};
/// With fewer runs, the quartiles are not reliable.
inline constexpr std::int64_t least_cost_runs = 20;

/// The cost of one classifier. Multiply-accumulates (MAC) and FLOPs (2 per MAC) are per image;
/// memory and latency are for the whole batch.
struct ClassifierCost {
    std::string name;
    ModelSpec spec;
    ModelFacts facts;
    std::uint64_t file_bytes = 0;  ///< including the files next to it that contain weights
    ModelCost cost;

    double macs_per_image() const;
    /// Does not count products of two factors that both depend on the image.
    double macs_without_attention() const;
    /// The latency of the timed runs in milliseconds; undefined without timed runs. The interval
    /// contains the middle half of the runs (quartiles by linear interpolation) and is not a
    /// confidence interval.
    Estimate latency() const;
};

/// Opens each model, observes one run and measures further runs, one model after the other. Throws
/// usage if options are out of range; also throws as open_classifier() and Classifier::cost() do.
std::vector<ClassifierCost> cost_of_models(std::span<const ModelSpec> specs,
                                           const ClassifierOptions& opening,
                                           const CostOptions& options,
                                           const ProgressCallback& progress = {});

Report report_of(std::span<const ClassifierCost> results, const CostOptions& options);

}  // namespace assay
