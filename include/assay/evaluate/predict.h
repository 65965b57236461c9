// Runs classifiers over images and stores the predictions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/data/dataset.h"
#include "assay/describe.h"
#include "assay/image/image.h"
#include "assay/model/classifier.h"
#include "assay/progress.h"
#include "assay/report.h"
#include "assay/store/prediction_store.h"

namespace assay {

/// An image that has no score although it could be read, and the reason.
struct UnscoredImage {
    std::uint64_t row = 0;
    std::string why;
};

/// Prepared images: rows [first_row, first_row + n) of the data set.
struct ImageBatch {
    std::uint64_t first_row = 0;
    std::size_t n = 0;
    std::span<const float> input;      ///< n x 3 x height x width, as the preprocessing makes it
    std::span<const RowState> states;  ///< n entries; the input of an image that could not be read
                                       ///< is zeros
    /// Replaces `input` for classifiers that prefer bytes (LoadedModel::scores never does).
    ByteBatch bytes = {};
    /// LoadedModel::scores lists here the images without scores; their rows are recorded as such,
    /// whatever it wrote. Null means that nobody needs the list.
    std::vector<UnscoredImage>* unscored = nullptr;
};

/// The result of a trial of a model (assay/evaluate/model_trial.h).
struct TrialMemory;

/// A classifier that is ready to run, with the information that its store must record.
struct LoadedModel {
    ModelSpec spec;
    std::shared_ptr<Classifier> classifier;
    std::string file_hash;  ///< hash_file() of the model, combined with its data files' hashes if
                            ///< it has some
    /// If set, it computes the scores of a batch instead of classifier->scores(). It is called from
    /// many threads; its results may depend only on the batch and on what `scored_by` describes.
    std::function<void(const ImageBatch& batch, std::span<float> out)> scores = {};
    std::string scored_by = "";  ///< describes what `scores` does, as JSON; it is part of the
                                 ///< store's identity
    /// Shared by all copies, so that the model is tried once. Null means that it is never tried, as
    /// for a classifier that was made in C++.
    std::shared_ptr<TrialMemory> trial = {};
};

/// Opens the model and determines its class list: the spec's, otherwise ImageNet's for 1000
/// classes, otherwise the numbers "0".."C-1".
LoadedModel load_model(ModelSpec spec, const ClassifierOptions& options = {});

/// The names that users write: "full", "top5".
template <>
struct Kind<StorageChoice> {
    static constexpr ValueShape shape = {.allowed = "full (float32), f16, topK (top5, ...), label"};
    static void to(const StorageChoice& value, nlohmann::json& out);
    static bool from(const nlohmann::json& value, StorageChoice& out);
};

struct PredictOptions {
    std::filesystem::path runs = "runs";
    StorageChoice storage;
    std::uint32_t shard_rows = 0;
    /// 0 means the size recorded in a store that is resumed, otherwise default_batch_size()
    std::uint32_t batch_size = 0;
    /// With shard_rows 0, new stores have one batch per shard, so that a kill loses only the
    /// batches in flight.
    bool shard_per_batch = false;
    /// Writes only this part of each store, in its own folder below the store's. Others may write
    /// the other parts at the same time, on other machines. {0, 0} means the whole store.
    StorePart part;
    int threads = 0;
    std::string command;  ///< the command as typed, for the manifest
    /// A later run with a higher limit computes the skipped image.
    std::int64_t max_pixels = max_image_pixels;
    /// The memory limit in bytes. At the limit, threads wait. Results do not depend on it as long
    /// as every image fits.
    std::uint64_t image_memory = DecodeLimits{}.bytes;
    /// Models are not tried on a few images first; the store records this.
    bool no_trial = false;
    /// Images that an earlier run recorded without a score although they could be read are computed
    /// again, in batches at their own places.
    bool retry_failed = false;
};

template <>
inline constexpr auto description<PredictOptions> = describe<PredictOptions>({
    field<&PredictOptions::runs>(
        {.help = "Folder of the results", .empty = "runs", .value = "RUNS", .name = "out"}),
    field<&PredictOptions::storage>({.help = "How much of each image's scores is stored",
                                     .value = "STORAGE"}),
    field<&PredictOptions::batch_size>({.help = "Images per batch; part of the store's identity",
                                        .empty = "8 on a CPU, 64 on a GPU",
                                        .name = "batch",
                                        .also = "-b,--batch-size"}),
    field<&PredictOptions::shard_rows>({.help = "Images per shard",
                                        .empty = "about 4 MiB, at most 8192"}),
    field<&PredictOptions::threads>({.help = "Threads; results do not depend on their number",
                                     .min = 0,
                                     .empty = "one per core",
                                     .also = "-j,--workers,--num-workers"}),
    field<&PredictOptions::max_pixels>({.help = "Record images with more pixels as unreadable",
                                        .min = 1,
                                        .max = max_image_pixels,
                                        .empty = "the default"}),
    field<&PredictOptions::image_memory>(
        {.help = "Memory for decoding one image, and for decoding in all threads together; an "
                 "image that needs more is recorded as unreadable",
         .min = 1,
         .max = 1 << 24,
         .empty = "the default",
         .unit = "MiB",
         .times = 1 << 20,
         .value = "MIB"}),
    field<&PredictOptions::no_trial>(
        {.help = "Store the scores of a model without trying it on a few images first, even if "
                 "they are random or depend on the batch"}),
    field<&PredictOptions::retry_failed>(
        {.help = "Retry images that could be read but have no score, such as those at which the "
                 "model failed"}),
});

/// The default number of images that go through a classifier together. It is part of a store's
/// identity, because a different batch changes logits by about 1e-5.
std::uint32_t default_batch_size(const ModelFacts& facts);

struct PredictResult {
    std::string model, dataset;
    std::filesystem::path store;
    std::uint64_t rows = 0;       ///< rows of the store or of the written part
    std::uint64_t predicted = 0;  ///< rows computed by this run
    std::uint64_t bad_rows =
        0;  ///< rows of the store, from all runs, without a score: unreadable image or NaN
    std::string first_error;         ///< "id: message" for the first such row, "" if there is none
    std::vector<std::string> notes;  ///< ModelFacts::notes
    std::uint64_t halved = 0;  ///< batches of this run that were halved because memory was short
    std::vector<std::string> dataset_notes;  ///< notes for people: the images have moved, ...
    /// For people: what decoding ignored in the images, and equal files. `assay inspect` gives more
    /// details.
    std::vector<std::string> image_notes = {};
};

/// Runs every model over the data set and stores the scores under options.runs. Finished work of
/// earlier runs is skipped. A batch is computed again if one of its images could not be read then
/// and can be read now, or if PredictOptions::retry_failed requests it.
///
/// Before a store is begun, its model is tried on a few images (try_models()), unless that was
/// already done. Throws bad_input if scores are random or depend on the other images in a batch.
///
/// The images must be those that the data set's stores were made from, whatever their current
/// location. The size of every recorded image and the bytes of 64 are compared before anything is
/// written. Every image that is read is compared with the record of it in another store of the data
/// set.
///
/// A thread takes the next batch, and reads and decodes its images once. It prepares them once per
/// distinct preprocessing, and hands them to each model that lacks them. So loading and inference
/// overlap across threads without a queue. Batch boundaries are fixed, so results do not depend on
/// threads, resuming or the set of models. Memory: threads x batch x (one image + inputs of the
/// distinct preprocessings) + one or two shards per model. Progress comes after each batch and
/// counts (image, model) pairs; `failed` are images that could not be read. Throws usage for two
/// models of one name and for models with different class lists. Throws bad_input if none of the
/// images exists. Throws bad_input and writes nothing if an image differs from the one that a store
/// was made from. Also throws the store's and the classifiers' errors, and interrupted.
///
/// Several ranks must use the same folder. The first rank opens the stores, each rank computes
/// every n-th of the missing shards, and the first rank finishes them. Shards have the same bytes
/// for any number of ranks. Progress counts this rank's share. Every rank throws the error of the
/// lowest rank that failed, after all have done their shares.
std::vector<PredictResult> predict(std::span<const LoadedModel> models, const Dataset& dataset,
                                   const PredictOptions& options, Comm& comm,
                                   const ProgressCallback& callback = {});
/// The same for a single process.
std::vector<PredictResult> predict(std::span<const LoadedModel> models, const Dataset& dataset,
                                   const PredictOptions& options,
                                   const ProgressCallback& callback = {});

/// The results of several calls of predict(): a row per store (for people, if there are many, per
/// data set). The report is partial, with a warning, if rows have no score. JSON: assay.predict/1.
Report report_of(std::span<const PredictResult> results);

/// Example: "resnet50: 224 x 224, ...; logits (from preset timm)".
std::string describe(const ModelSpec& spec);
/// Example: "config.json: keys without effect: url, license"; "" if there are none.
std::string keys_without_effect(const ModelSpec& spec);
/// Describes what predict() would run. JSON: assay.predict.plan/1.
Report plan_report_of(std::span<const ModelSpec> models);

}  // namespace assay
