// The parts of runs of classifiers over images, both original and corrupted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/evaluate/model_trial.h"
#include "assay/evaluate/predict.h"
#include "assay/image/image.h"
#include "assay/image/preprocess.h"
#include "core/memory_budget.h"
#include "evaluate/batch_runner.h"
#include "evaluate/prepared_batch.h"
#include "evaluate/shard_buffer.h"
#include "store/image_check.h"

namespace assay::prediction {

/// The entry for the records of the shards.
ComputedOn computed_on(const LoadedModel& model);

/// One model's part in a run: its store and the shards that are being filled.
struct ModelRun {
    const LoadedModel* model = nullptr;
    std::size_t preprocessing = 0;  ///< index into the distinct preprocessings
    StoreWriter writer;
    ShardBuffers shards;
    std::vector<bool> lacking;  ///< per shard, as found at the start: threads read this without a
                                ///< lock
    BatchRunner batches;
    /// Receives the computed scores, from many threads; may be empty.
    std::function<void(const ImageBatch& batch, std::span<const float> scores)> watch;

    /// Loads what a stopped run has kept of incomplete shards.
    ModelRun(const LoadedModel& m, std::size_t p, StoreWriter w, const store::ImageCheck& images,
             const Dataset& dataset, bool retry_failed)
        : model(&m),
          preprocessing(p),
          writer(std::move(w)),
          shards(writer, images, computed_on(m)),
          batches(m) {
        for (std::size_t s = 0; s < writer.shards(); ++s) {
            lacking.push_back(writer.is_own(s) && !writer.has(s));
            if (lacking.back()) {
                shards.resume(s, dataset, retry_failed);
            } else if (writer.is_own(s)) {
                store::forget_rows(writer.folder(), s);  // a killed run may have left them
            }
        }
    }

    /// Otherwise uses floats, because code that replaces the classifier only accepts these, and a
    /// resize of floats gives no bytes.
    bool takes_bytes() const {
        return !model->scores && model->classifier->prefers_bytes() &&
               resizes_to_bytes(model->spec.preprocess);
    }

    /// The buffer for the batch that begins with this row.
    bool lacks(std::uint64_t row) const {
        return lacking[static_cast<std::size_t>(row / writer.spec().shard_rows)] &&
               !shards.has(row);
    }
};

/// The number of rows from earlier runs.
std::uint64_t rows_done(const ModelRun& run);
/// Runs `work`; if it ends early for any reason, the computed scores are kept. An error is rethrown
/// with their number: "296 of 700 images are kept".
void keeping(std::span<ModelRun* const> runs, const std::string& dataset, const Comm& comm,
             const std::function<void()>& work);
/// Marks shards to be computed again if they have an image that could not be read, and now can be.
/// Their disk may not have been mounted.
void redo_where(StoreWriter& writer, const std::function<bool(std::uint64_t row)>& can_be_read_now);
/// Marks shards to be computed again if they have an image that could be read but has no score.
void redo_failed(StoreWriter& writer);
/// The result, except for the data set's name and notes.
PredictResult result_of(const ModelRun& run, const Dataset& dataset);

/// Throws usage for two models with the same name, or different class lists.
void check_models(std::span<const LoadedModel> models);
/// Throws bad_input on every rank if they have different images, models or preprocessing.
void check_ranks(std::span<const LoadedModel> models, const Dataset& dataset,
                 const PredictOptions& options, Comm& comm);
/// Sums the results over all ranks.
void sum_over_ranks(std::vector<PredictResult>& results, Comm& comm);
/// Throws bad_input if no image exists, unless `nothing_to_do`. So a wrong folder, or one that is
/// not mounted, gives no store of unreadable images.
void check_images_are_there(const Dataset& dataset, const std::function<bool()>& nothing_to_do);
/// True if every shard of the store exists.
bool is_complete(const std::filesystem::path& store);

/// The batch size of an existing store, or 0.
std::uint32_t recorded_batch_size(const std::filesystem::path& runs, const StoreSpec& spec);
/// The requested batch size, otherwise the recorded one, otherwise the model's default.
std::uint32_t batch_size_of(const LoadedModel& model, const StoreSpec& spec,
                            std::uint32_t recorded);
StoreSpec store_spec(const LoadedModel& model, const Dataset& dataset,
                     const PredictOptions& options);
/// The same with the model's own batch size, or the one that a trial found.
StoreSpec store_spec_of(const LoadedModel& model, const Dataset& dataset,
                        const PredictOptions& options, const ModelTrial& trial);
/// Adds a note about a batch size that a trial found.
void say_trial(const ModelTrial& trial, PredictResult& result);

DecodeLimits decode_limits(const PredictOptions& options);
/// Decodes an image within the limits and hands it to `use`. An image that cannot be read, even
/// for lack of memory, is no error: its row records it, and the reason is returned. Its pixels
/// count towards `memory`, which threads share. `read`, unless null, receives the facts about the
/// file.
std::optional<std::string> use_image(const Dataset& dataset, std::uint64_t item,
                                     const DecodeLimits& limits, MemoryBudget& memory,
                                     const std::function<void(const Image&)>& use,
                                     ReadImage* read = nullptr);
/// Tells the kernel to fetch the files of rows that are read soon, while others are computed.
void read_ahead(const Dataset& dataset, std::uint64_t first, std::uint64_t count);

/// The requested number of threads; otherwise one per core, plus those that wait for the models'
/// devices.
int threads_for(std::span<const LoadedModel> models, const PredictOptions& options);

/// The inputs that the models need, by preprocessing.
std::vector<PreparedBatch::Forms> forms_for(std::span<ModelRun* const> models,
                                            std::size_t preprocessings);
/// Runs the models on prepared images and puts their scores into the shards. Rows [first_row,
/// first_row + states.size()).
void run_models(std::span<ModelRun* const> wanting, const PreparedBatch& prepared,
                std::uint64_t first, std::span<const RowState> states,
                std::span<const RowError> errors, std::span<const ReadImage> read);

}  // namespace assay::prediction
