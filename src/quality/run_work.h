// The work of a run: the models, their images, and their preprocessing.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/quality/run.h"

namespace assay::quality {

struct RunWork {
    Dataset corrupted, attacked;  ///< val, or samples of it
    std::optional<CorruptedVersions> versions;
    std::vector<LoadedModel> attackable;
    std::map<std::string, std::string> without_gradient;  ///< model, why
    std::vector<std::string> notes;
};
/// Throws the errors of check() and check_runs(). Also throws the model's error if it cannot be
/// attacked for a reason other than a missing gradient.
RunWork work_of(const QualityRunOptions& options);

/// Throws bad_input if the measurement could not distinguish the contents of RUNS from what the run
/// writes there. One case is a data set whose folder was renamed. The other case is a second folder
/// with a data set of the same name, or with predictions of a model on such a data set.
void check_runs(const QualityRunOptions& options, const RunWork& work);

/// The models with their preprocessing for a data set.
std::vector<LoadedModel> models_on(const QualityRunOptions& options, Role role);
/// The models with their preprocessing for the corrupted versions of a data set.
std::vector<LoadedModel> models_on_corrupted(const QualityRunOptions& options);

/// Excluded dimensions with reasons. They are not measured even if stores exist.
std::vector<MissingDimension> left_out_of(const QualityRunOptions& options, const RunWork& work);
/// Also includes the dimensions that the chosen corruptions and the storage cannot provide. The
/// measurement gives the reasons.
std::vector<MissingDimension> missing_of(const QualityRunOptions& options, const RunWork& work);

inline constexpr std::string_view run_attacks[] = {"fgsm", "pgd"};

/// Calls `progress` with this name instead of the step's own name.
ProgressCallback named_progress(const ProgressCallback& progress, std::string name);

/// The plan of a run whose parts exist.
QualityPlan plan_of(const QualityRunOptions& options, const RunWork& work,
                    const ProgressCallback& progress);

}  // namespace assay::quality
