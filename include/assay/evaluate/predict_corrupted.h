// Runs classifiers over corrupted images and stores the predictions, without writing the images to
// the disk.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/evaluate/predict.h"
#include "assay/image/preprocess.h"
#include "assay/progress.h"
#include "assay/report.h"
#include "assay/robustness/corrupted_versions.h"

namespace assay {

/// The processing of a corrupted image by a model, which already is a window of about 224 pixels.
enum class CorruptedTransform {
    crop,  ///< the image is only resized to the input's size, as ImageNet-C was published
    own,   ///< the model's whole preprocessing, which enlarges it and crops its margins again
};
/// Reads "crop" or "model". Throws usage.
CorruptedTransform corrupted_transform_named(std::string_view name);
/// The preprocessing of a corrupted image. With `crop`, the resize size is the input's longer side.
/// So a square window of the input's size does not change, and any other is scaled to it. If
/// nothing is cropped (CropMode::none), the model's own preprocessing already does that.
Preprocess corrupted_preprocess(Preprocess preprocess, CorruptedTransform transform);

/// Returns a name such as "val_fog_3".
std::string corrupted_dataset_name(const std::string& dataset, const CorruptionVersion& version);

/// Runs every model over every version of the images and stores the scores. Each version becomes a
/// data set, RUNS/<data set>_<corruption>_<severity>, with the ids, labels and attributes of
/// `dataset`. The scores are those of predict() on what corrupt_dataset() writes, bit for bit.
/// `models` must already have the desired preprocessing (corrupted_preprocess()).
///
/// The record of each data set names the corruption, its severity, the seed, the window, the JPEG
/// quality and the photographs of frost. A run with different values is refused before anything is
/// written. Resumes as predict() does. An image that cannot be read, or is too small for the crop
/// or a kernel, keeps its row and has no score.
///
/// Each image is read and decoded once for all versions and models. The windows of a block of 1,024
/// images (or of a shard, if that is larger) are kept, up to 256 MiB. Images that do not fit are
/// decoded again for each version. The versions of a block are computed one after another. So few
/// shards are in memory for any number of stores, and a killed run loses at most 15 seconds. If
/// models have several batch sizes, the images are read once for each batch size. The number of
/// stores that are written together is at most half of the files that the process may open. With
/// more stores, the images are also read once for each such number of stores. Results do not depend
/// on threads, resuming or the set of versions and models. Memory: the windows, threads x batch x
/// (one image and the inputs of the distinct preprocessings), and a few shards. Progress counts
/// (image, version, model). Results come by version, then model. Throws as predict() does, and
/// ranks share the work in the same way; throws usage if `dataset` is a corrupted one.
std::vector<PredictResult> predict_corrupted(std::span<const LoadedModel> models,
                                             const Dataset& dataset,
                                             const CorruptedVersions& versions,
                                             const PredictOptions& options, Comm& comm,
                                             const ProgressCallback& callback = {});
/// The same for a single process.
std::vector<PredictResult> predict_corrupted(std::span<const LoadedModel> models,
                                             const Dataset& dataset,
                                             const CorruptedVersions& versions,
                                             const PredictOptions& options,
                                             const ProgressCallback& callback = {});

}  // namespace assay
