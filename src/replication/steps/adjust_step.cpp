// Computes the gap's parts from files: reads and joins both sets, estimates, and sweeps.
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assay/error.h"
#include "assay/replication/steps.h"
#include "core/parallel.h"

namespace assay::replication {
namespace {

/// The options for the parts, including the step's own fields.
AdjustOptions options_of(const AdjustStep& step) {
    AdjustOptions options = step.estimates;
    options.seed = step.annotations.seed;
    choose_methods(options, step.methods);
    return options;
}

/// Throws usage for an option of a method that is not chosen. `sweeps`: other numbers of parts are
/// tried, which fit mixtures, too.
void refuse_unused(const AdjustStep& step, const AdjustOptions& chosen) {
    const AdjustOptions usual;
    const AdjustOptions& given = step.estimates;
    const bool sweeps = !step.parts_sweep.empty();
    // Numbers of annotators are always tried with the method naive, too.
    const bool reweighs = chosen.naive || !chosen.jackknife.empty() || !step.sweep.empty() ||
                          step.sweep_eighths || step.figures;
    const auto refuse_option = [&](bool unused, std::string_view option, std::string_view method) {
        if (unused)
            throw Error(
                ErrorCode::usage,
                fmt::format("{} acts on the method {} alone, but --methods has {}: omit it, "
                            "or add the method: --methods {},{}",
                            option, method, fmt::join(step.methods, ","),
                            fmt::join(step.methods, ","), method));
    };
    refuse_option(given.mixture_parts != usual.mixture_parts && !chosen.mixture, "--parts",
                  "mixture");
    refuse_option(given.grid_integrals && !chosen.mixture && !sweeps, "--grid-integrals",
                  "mixture");
    refuse_option(!given.exponents.empty() && !chosen.moments, "--exponents", "moments");
    refuse_option(given.jackknife != usual.jackknife && chosen.jackknife.empty(), "--jackknife",
                  "jackknife");
    if (given.empty_bins != usual.empty_bins && !reweighs)
        throw Error(
            ErrorCode::usage,
            fmt::format("--empty-bins acts on the methods naive and jackknife, on --sweep, --json "
                        "and --figures, but --methods has {}: omit it, or add a method: --methods "
                        "{},naive",
                        fmt::join(step.methods, ","), fmt::join(step.methods, ",")));
}

}  // namespace

void check(const AdjustStep& step) {
    const AdjustOptions options = options_of(step);
    check(options);
    refuse_unused(step, options);
    if (step.labels1.empty() != step.labels2.empty())
        throw Error(ErrorCode::usage,
                    fmt::format("--labels{} is missing: the labels of both data sets are needed",
                                step.labels1.empty() ? 1 : 2));
    if (step.pool_above && step.labels1.empty())
        throw Error(ErrorCode::usage, "--pool-above needs --labels1 and --labels2");
    check_files({step.original, step.replication}, step.annotations);
}

AdjustOutcome run_adjust(const AdjustStep& step, Comm& comm, const ProgressCallback& progress) {
    const AdjustOptions options = options_of(step);
    const int threads = resolve_threads(options.threads);
    AdjustOutcome outcome;
    outcome.prepared = prepare_sets({step.original, step.replication}, step.annotations);
    const PreparedSets& prepared = outcome.prepared;
    const auto labels = [&](const std::filesystem::path& path) {
        return path.empty() ? LabelCounts{} : read_label_counts(path, outcome.notes);
    };
    const LabelCounts labels1 = labels(step.labels1), labels2 = labels(step.labels2);
    const Study study =
        join_study(prepared.sets[0], read_hits(step.original_hits, threads, comm), prepared.sets[1],
                   read_hits(step.replication_hits, threads, comm), prepared.names, step.study,
                   labels1, labels2);
    outcome.partial = study.partial;
    outcome.adjusted = adjust(study, options, progress);
    if (!step.labels1.empty())
        outcome.joint =
            joint_decomposition(study, options, step.pool_above.value_or(usual_pool_above));
    const bool eighth = step.sweep.empty() && step.sweep_eighths;
    outcome.sweep =
        annotator_sweep(study, eighth ? eighths(outcome.adjusted) : step.sweep, options, progress);
    for (SweepPoint& point : mixture_sweep(study, step.parts_sweep, options))
        outcome.sweep.push_back(std::move(point));
    if (step.figures) {
        FigureOptions figures;
        figures.estimates = options;
        figures.parts = step.parts_sweep;
        outcome.figures = figure_data(study, figures, progress);
    }
    return outcome;
}

}  // namespace assay::replication
