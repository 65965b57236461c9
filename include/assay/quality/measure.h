// The nine dimensions of classifiers from their stored predictions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/estimate.h"
#include "assay/progress.h"
#include "assay/quality/role.h"
#include "assay/quality/table.h"
#include "assay/report.h"
#include "assay/robustness/corrupted_versions.h"
#include "assay/robustness/pixel_model.h"

namespace assay::quality {

/// A dimension that is not measured.
struct MissingDimension {
    Dimension dimension;
    std::string model;  ///< "": any
    std::string why;
};

struct MeasureQualityOptions {
    std::filesystem::path runs = {};  ///< RUNS folder
    std::map<Role, std::string> data =
        {};                      ///< names of data sets in it; without `val` nothing is known
    std::string corrupted = {};  ///< the data set whose corrupted versions count; "": val
    /// Those of its versions that count; none: all that there are.
    std::optional<std::vector<CorruptionVersion>> versions = {};
    std::string attacked = {};  ///< the data set whose attacks count; "": val
    double eps = 8.0 / 255;     ///< of the attacks
    AttackSpace space = AttackSpace::pixels;
    std::vector<std::string> models = {};  ///< "": all that have predictions of `val`, by name
    /// Millions of parameters, by model: no store knows them.
    std::map<std::string, double> parameters = {};
    /// Not measured, for the reasons given, whatever stores there are.
    std::vector<MissingDimension> left_out = {};
    bool own_class_sketch = false;  ///< the 1000-class ImageNet-Sketch
    double level = 0.95;
    std::uint64_t seed = 1;
    /// Draws of labels for the calibration error of a perfectly calibrated classifier; 0: none.
    std::uint32_t null_draws = 200;
    int threads = 0;  ///< 0: one per core; changes no bit
};

/// A number from which a dimension is made: "fgsm", "ece", "edge", "mixed_same".
struct QualityPart {
    Dimension dimension;
    std::string name, definition, dataset;
    Estimate value;
};

struct MeasuredModel {
    std::string model;
    PerDimension<Estimate> values;  ///< undefined with the reason where something is missing
    std::vector<QualityPart> parts;
    std::vector<std::string> notes;
};

struct MeasuredQuality {
    MeasureQualityOptions options;
    std::vector<MeasuredModel> models;
    QualityTable table;    ///< the same as rows: what assay quality score reads
    bool partial = false;  ///< a store that was used is not complete
    std::vector<std::string> notes, warnings;
};

/// Values by the definitions of Hesse et al. 2026 where nothing else is asked for; every cell of
/// the table says in its definition what differs from the published ones. A dimension whose data
/// is missing is absent with the reason, never 0. Standard errors: binomial and delta method over
/// images (accuracy, ratios), groups of images (calibration, class balance), pairs by foreground
/// (object focus), clusters by shape and texture image (shape bias); docs/quality.md has the
/// intervals. Each cell keeps which images it shares with others (ErrorShare): corrupted and
/// attacked images count as the clean ones that they were made of, pairs of object focus as those
/// of mixed-same. Same bits for any threads and ranks. Cost: what score_store() costs for `val`,
/// one pass over the predicted classes of every other store. Throws usage: no `val`, a name that is
/// no data set, a data set in two roles, an unknown model; bad_input: as PredictionStore::open(),
/// stores of one model that are of two files or of other classes, two data sets of one name,
/// attacks on other images than the clean ones, a data set of another number of classes than the
/// classifier.
MeasuredQuality measure_quality(const MeasureQualityOptions& options, Comm& comm,
                                const ProgressCallback& progress = {});
/// "resnet50=25.6" adds to `parameters`; a table as read_quality_table() reads it (csv, json) adds
/// the parameters of all of its models. Throws usage: neither, a number that is not in millions (0
/// to 1e5); bad_input: as read_quality_table().
void add_parameters(std::map<std::string, double>& parameters, const std::string& text);

/// "assay.quality/1": the table as read_quality_table() reads it, with the parts.
Report report_of(const MeasuredQuality& result);

}  // namespace assay::quality
