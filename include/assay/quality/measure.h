// Computes the nine dimensions of classifiers from their stored predictions.
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
    std::filesystem::path runs = {};        ///< RUNS folder
    std::map<Role, std::string> data = {};  ///< names of data sets in the folder; without `val`
                                            ///< nothing can be measured
    std::string corrupted = {};  ///< the data set whose corrupted versions are used; "" means val
    /// The versions that are used; without a value, all existing ones.
    std::optional<std::vector<CorruptionVersion>> versions = {};
    std::string attacked = {};  ///< the data set whose attacks are used; "" means val
    double eps = 8.0 / 255;     ///< budget of the attacks
    AttackSpace space = AttackSpace::pixels;
    std::vector<std::string> models = {};  ///< models by name; "" means all that have predictions
                                           ///< for `val`
    /// Millions of parameters per model: no store has them.
    std::map<std::string, double> parameters = {};
    /// Dimensions that are not measured, for the given reasons, whatever stores exist.
    std::vector<MissingDimension> left_out = {};
    bool own_class_sketch = false;  ///< the 1000-class ImageNet-Sketch
    double level = 0.95;
    std::uint64_t seed = 1;
    /// Draws of labels for the calibration error of a perfectly calibrated classifier; 0 means
    /// none.
    std::uint32_t null_draws = 200;
    int threads = 0;  ///< 0 means one thread per core; does not change results
};

/// A number that contributes to a dimension: "fgsm", "ece", "edge", "mixed_same".
struct QualityPart {
    Dimension dimension;
    std::string name, definition, dataset;
    Estimate value;
};

struct MeasuredModel {
    std::string model;
    PerDimension<Estimate> values;  ///< undefined, with the reason, if something is missing
    std::vector<QualityPart> parts;
    std::vector<std::string> notes;
};

struct MeasuredQuality {
    MeasureQualityOptions options;
    std::vector<MeasuredModel> models;
    QualityTable table;    ///< the same as rows that assay quality score reads
    bool partial = false;  ///< a store that was used is incomplete
    std::vector<std::string> notes, warnings;
};

/// Values follow the definitions of Hesse et al. 2026 by default. The definition of every cell of
/// the table names the differences from the published ones. A dimension whose data is missing has a
/// reason instead of a value, and is never 0. Standard errors use the binomial and delta methods
/// over images (accuracy, ratios), or groups of images (calibration, class balance). Object focus
/// uses pairs by foreground, and shape bias uses clusters by shape and texture image. The intervals
/// are in docs/quality.md. Each cell records which images it shares with others (ErrorShare).
/// Corrupted and attacked images count as the clean ones that they were made of. Pairs of object
/// focus count as the images of mixed-same. Results are bit-identical for any number of threads and
/// ranks. Cost: that of score_store() for `val`, and one pass over the predicted classes of every
/// other store. Throws usage: no `val`, a name that is not a data set, a data set in two roles, an
/// unknown model. Throws bad_input as PredictionStore::open() does, and for stores of one model
/// that come from two files or have different classes. Also throws bad_input for two data sets with
/// the same name, and for attacks on other images than the clean ones. Also throws bad_input for a
/// data set whose number of classes differs from the classifier's.
MeasuredQuality measure_quality(const MeasureQualityOptions& options, Comm& comm,
                                const ProgressCallback& progress = {});
/// "resnet50=25.6" adds one entry to `parameters`; a table in the format of read_quality_table()
/// (csv, json) adds the parameters of all of its models. Throws usage if the text is neither, or if
/// a number is not in millions (0 to 1e5); bad_input as read_quality_table() does.
void add_parameters(std::map<std::string, double>& parameters, const std::string& text);

/// Schema "assay.quality/1": the table in the format of read_quality_table(), with the parts.
Report report_of(const MeasuredQuality& result);

}  // namespace assay::quality
