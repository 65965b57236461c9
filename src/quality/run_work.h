// What a run is made of: which models see which images, in which way.
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
/// Throws as check() and check_runs(); where a model cannot be attacked for another reason than
/// that it has no gradient, its error.
RunWork work_of(const QualityRunOptions& options);

/// Throws bad_input where the measurement could not tell what lies in RUNS from what the run puts
/// there: a data set whose folder was renamed, and in another folder a data set, or predictions of
/// a model on one, of the same name.
void check_runs(const QualityRunOptions& options, const RunWork& work);

/// The models with the preprocessing that they have on a data set.
std::vector<LoadedModel> models_on(const QualityRunOptions& options, Role role);
/// ... and on its corrupted versions.
std::vector<LoadedModel> models_on_corrupted(const QualityRunOptions& options);

/// What the configuration leaves out, and why: is not measured, whatever stores there are.
std::vector<MissingDimension> left_out_of(const QualityRunOptions& options, const RunWork& work);
/// These, and what the chosen corruptions and the storage cannot give: the measurement says why.
std::vector<MissingDimension> missing_of(const QualityRunOptions& options, const RunWork& work);

inline constexpr std::string_view run_attacks[] = {"fgsm", "pgd"};

/// Calls with a step's name in the place of the step that the work itself names.
ProgressCallback named_progress(const ProgressCallback& progress, std::string name);

/// The plan of a run whose parts are there.
QualityPlan plan_of(const QualityRunOptions& options, const RunWork& work,
                    const ProgressCallback& progress);

}  // namespace assay::quality
