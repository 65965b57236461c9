// Training methods compared over several training runs each. A difference is a statement about a
// new training run on new images, not about the given stores.
//
// Correctness y(run, image) is a two-way table: its mean varies with the runs that were trained and
// with the images that were drawn. An interval from images alone holds for these runs only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/estimate.h"
#include "assay/progress.h"
#include "assay/report.h"

namespace assay::decisions {

/// A method by its name and either a pattern, as in MethodOptions::methods, or its training runs.
struct GivenMethod {
    struct Run {
        std::string seed;
        std::filesystem::path store;
    };
    std::string name, pattern;
    std::vector<Run> runs;
};

struct MethodOptions {
    /// Stores of a method's training runs as "NAME=GLOB", with * and ? in any part of the path. The
    /// matched text is the run's seed. The first method is the baseline.
    std::vector<std::string> methods;
    std::vector<GivenMethod> given = {};  ///< further methods, after `methods`
    /// Wanted half of the interval of a difference; 0: none.
    double within = 0;
    std::filesystem::path labels;  ///< valid classes; "" uses the data set's own labels
    double level = 0.95;
    int threads = 0;
};

struct MethodRun {
    std::string method, seed;
    std::filesystem::path store;
    Estimate accuracy;  ///< accuracy of this run over the images
};
struct TrainedMethod {
    std::string method;
    std::uint64_t runs = 0;
    Estimate accuracy;          ///< expected accuracy of a new run on new images
    double spread = 0;          ///< standard deviation of the runs' accuracies
    double spread_of_runs = 0;  ///< like `spread`, without the part due to the number of images
};
struct MethodDifference {
    std::string baseline, candidate;
    bool paired = false;   ///< runs are paired by seed
    Estimate difference;   ///< candidate minus baseline, over new runs and new images
    Estimate these_runs;   ///< the same difference with an interval over images only
    Estimate next_run;     ///< difference for one new run of each method: prediction interval
    double from_runs = 0;  ///< proportion of the variance that further runs reduce
    std::optional<std::uint64_t> runs_needed;  ///< per method, to reach `within`; may be empty
};
struct MethodComparison {
    std::string dataset;
    std::uint64_t images = 0, left_out = 0;
    std::uint64_t not_scored = 0;  ///< excluded images without scores of some run
    double level = 0.95;
    double within = 0;
    std::vector<TrainedMethod> methods;
    std::vector<MethodDifference> differences;
    std::vector<MethodRun> runs;
    std::vector<std::string> notes, warnings;
};

/// Cost: a pass over each store; memory: a byte per run and image. Throws usage for fewer than two
/// methods, a name twice, no GLOB, or a seed twice. Throws bad_input for a GLOB without stores, a
/// method of one run, or a store in two methods. Throws bad_input for stores that differ in data
/// set, images, labels or classes, are not complete, or have no labels. Throws bad_input for labels
/// that are no class.
MethodComparison compare_methods(const MethodOptions& options,
                                 const ProgressCallback& progress = {});
/// Schema `assay.methods/1`. The csv has a row for each difference.
Report report_of(const MethodComparison& result);

}  // namespace assay::decisions
