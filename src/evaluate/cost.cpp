#include "assay/evaluate/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "assay/error.h"
#include "core/statistics.h"
#include "model/python/source.h"

namespace assay {
namespace {

void check_cost_number(std::string_view name, std::int64_t value, std::int64_t least,
                       std::int64_t most) {
    if (value >= least && value <= most) return;
    throw Error(ErrorCode::usage,
                fmt::format("{} is {}; allowed: {} to {}", name, value, least, most));
}

void check_cost_options(const CostOptions& options) {
    if (options.batch) check_cost_number("batch", *options.batch, 1, most_cost_batch);
    check_cost_number("threads", options.threads, 1, most_cost_threads);
    if (options.runs != 0) check_cost_number("runs", options.runs, least_cost_runs, most_cost_runs);
}

std::uint64_t bytes_on_disk(const ModelSpec& spec, const ModelFacts& facts) {
    // The source is not a file, for example timm:resnet18.
    if (is_python_source(spec.path)) return 0;
    std::uint64_t bytes = std::filesystem::file_size(spec.path);
    for (const std::filesystem::path& file : facts.data_files)
        bytes += std::filesystem::file_size(file);
    return bytes;
}

ClassifierCost cost_of_one(const ModelSpec& spec, const ClassifierOptions& opening,
                           const CostOptions& options) {
    const auto classifier = open_classifier(spec, opening);
    ClassifierCost result{
        .name = spec.name, .spec = spec, .facts = classifier->facts(), .file_bytes = 0, .cost = {}};
    result.file_bytes = bytes_on_disk(spec, result.facts);
    CostRequest request;
    request.batch = options.batch.value_or(std::max<std::int64_t>(result.facts.fixed_batch, 1));
    request.threads = static_cast<int>(options.threads);
    request.runs = static_cast<int>(options.runs);
    with_note(
        fmt::format("running {} on {} image{} of 3 x {} x {}", spec.path.string(), request.batch,
                    request.batch == 1 ? "" : "s", spec.preprocess.height, spec.preprocess.width),
        [&] { result.cost = classifier->cost(request); });
    return result;
}

}  // namespace

double ClassifierCost::macs_per_image() const {
    return static_cast<double>(cost.macs()) / static_cast<double>(cost.batch);
}

double ClassifierCost::macs_without_attention() const {
    return static_cast<double>(cost.macs() - cost.activation_macs()) /
           static_cast<double>(cost.batch);
}

Estimate ClassifierCost::latency() const {
    Estimate out;
    out.n = cost.seconds.size();
    if (cost.seconds.empty()) {
        out.undefined = "not measured";
        return out;
    }
    std::vector<double> sorted;
    for (const double seconds : cost.seconds) sorted.push_back(seconds * 1e3);
    std::ranges::sort(sorted);
    out.value = quantile_sorted(sorted, .5);
    out.interval =
        Interval{quantile_sorted(sorted, .25), quantile_sorted(sorted, .75), .5, "quartiles"};
    return out;
}

std::vector<ClassifierCost> cost_of_models(std::span<const ModelSpec> specs,
                                           const ClassifierOptions& opening,
                                           const CostOptions& options,
                                           const ProgressCallback& progress) {
    check_cost_options(options);
    std::vector<ClassifierCost> results;
    for (const ModelSpec& spec : specs) {
        if (progress) progress({.step = spec.name, .done = results.size(), .total = specs.size()});
        results.push_back(cost_of_one(spec, opening, options));
    }
    if (progress) progress({.done = results.size(), .total = specs.size()});
    return results;
}

}  // namespace assay
