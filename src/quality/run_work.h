// The work of a run: which models see which images, and with which preprocessing.
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
/// Throws as check() and check_runs() do, and the model's error if it cannot be attacked for a
/// reason other than a missing gradient.
RunWork work_of(const QualityRunOptions& options);

/// Throws bad_input if the measurement could not distinguish the contents of RUNS from what the run
/// writes there. One case is a data set whose folder was renamed. The other is another folder with
/// a data set, or with predictions of a model on one, of the same name.
void check_runs(const QualityRunOptions& options, const RunWork& work);

/// The models with their preprocessing for a data set.
std::vector<LoadedModel> models_on(const QualityRunOptions& options, Role role);
/// ... and on its corrupted versions.
std::vector<LoadedModel> models_on_corrupted(const QualityRunOptions& options);

/// What the configuration excludes, and why: it is not measured, whatever stores exist.
std::vector<MissingDimension> left_out_of(const QualityRunOptions& options, const RunWork& work);
/// These, and what the chosen corruptions and the storage cannot provide; the measurement gives the
/// reasons.
std::vector<MissingDimension> missing_of(const QualityRunOptions& options, const RunWork& work);

inline constexpr std::string_view run_attacks[] = {"fgsm", "pgd"};

/// Calls `progress` with this name instead of the step's own name.
ProgressCallback named_progress(const ProgressCallback& progress, std::string name);

/// The plan of a run whose parts exist.
QualityPlan plan_of(const QualityRunOptions& options, const RunWork& work,
                    const ProgressCallback& progress);

}  // namespace assay::quality
