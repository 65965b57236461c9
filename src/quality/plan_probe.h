// Estimates the duration of the parts of a run. Each part is run and timed with a few images, by
// all threads at once, as in a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/quality/run.h"

namespace assay::quality::probe {

/// Evenly spaced images of a data set, in memory.
struct Images {
    std::vector<std::size_t> items;
    std::vector<Image> images;  ///< the images that could be read
    double seconds = 0;         ///< seconds to read and decode one image
};
Images read_images(const Dataset& dataset, const PredictOptions& options, int threads);

/// Returns the seconds for converting one of the images to all models' inputs.
double prepare_seconds(const Images& read, const std::vector<LoadedModel>& models, int threads);
/// Seconds to make all versions of one of the images and convert them to the models' inputs. Throws
/// bad_input if a version cannot be made.
double corrupted_seconds(const Images& read, const CorruptedVersions& versions,
                         const std::vector<LoadedModel>& models, int threads);

struct TimedModel {
    const LoadedModel* model = nullptr;
    bool attacked = false;          ///< true if its gradients are also timed
    std::optional<double> correct;  ///< proportion for val's images, if known
};
/// The duration of a pass of one image through a model.
struct ModelTimes {
    double forward = 0, gradient = 0;
    double correct = 1;  ///< proportion of images that are correct, and so attacked
};
/// `read` are images of val.
std::vector<ModelTimes> model_times(std::span<const TimedModel> models, const Images& read,
                                    const Dataset& val, const QualityRunOptions& options);

/// The requested batch size, otherwise the model's default.
std::uint32_t batch_size_of(const LoadedModel& model, const PredictOptions& options);

}  // namespace assay::quality::probe
