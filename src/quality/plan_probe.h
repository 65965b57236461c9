// How long the parts of a run take: each is done with a few images and timed, by all threads at
// once as a run does it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/quality/run.h"

namespace assay::quality::probe {

/// Images of a data set, evenly apart, as they are in memory.
struct Images {
    std::vector<std::size_t> items;
    std::vector<Image> images;  ///< of those that could be read
    double seconds = 0;         ///< to read and decode one
};
Images read_images(const Dataset& dataset, const PredictOptions& options, int threads);

/// Seconds to bring one of the images to all models' inputs.
double prepare_seconds(const Images& read, const std::vector<LoadedModel>& models, int threads);
/// Seconds to make all versions of one of the images, and bring them to the models' inputs. Throws
/// bad_input where a version cannot be made.
double corrupted_seconds(const Images& read, const CorruptedVersions& versions,
                         const std::vector<LoadedModel>& models, int threads);

struct TimedModel {
    const LoadedModel* model = nullptr;
    bool attacked = false;          ///< its gradients are timed, too
    std::optional<double> correct;  ///< of val's images, where that is known
};
/// What a pass of one image through a model takes.
struct ModelTimes {
    double forward = 0, gradient = 0;
    double correct = 1;  ///< of the images, as a proportion: they are attacked
};
/// `read`: of val.
std::vector<ModelTimes> model_times(std::span<const TimedModel> models, const Images& read,
                                    const Dataset& val, const QualityRunOptions& options);

/// The one asked for, else the model's default.
std::uint32_t batch_size_of(const LoadedModel& model, const PredictOptions& options);

}  // namespace assay::quality::probe
