#include "assay/evaluate/predict_corrupted.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "assay/error.h"
#include "assay/robustness/corrupted_accuracy.h"
#include "core/file.h"
#include "core/json_text.h"
#include "core/memory_budget.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "evaluate/model_trial.h"
#include "evaluate/prediction_run.h"
#include "evaluate/window_reader.h"
#include "store/dataset_files.h"
#include "store/parts.h"

namespace assay {
namespace {

using prediction::ModelRun;

/// Number of images in a block, and of rows in a shard.
constexpr std::uint32_t block_images = 1024;
/// Limit for the windows of a block: 1,024 of 224 x 224 pixels need 196 MiB.
constexpr std::uint64_t most_window_bytes = std::uint64_t{256} << 20;

/// One version of the data set, and the stores for its scores.
struct VersionRun {
    CorruptionVersion what;
    std::string dataset;  ///< its name
    std::shared_ptr<store::ImageCheck> images;
    std::vector<std::unique_ptr<ModelRun>> models;
};

/// The run of all models with one batch size over some versions of one data set.
class CorruptedRun {
public:
    using Counted = std::function<void(std::uint64_t done, std::uint64_t failed)>;

    CorruptedRun(const Dataset& dataset, const WindowReader& reader, std::uint32_t batch)
        : dataset_(dataset), reader_(reader), batch_(batch) {}

    std::vector<VersionRun>& versions() { return versions_; }
    const std::vector<VersionRun>& versions() const { return versions_; }

    /// The index of a preprocessing among the distinct ones.
    std::size_t place_of(const Preprocess& preprocess) {
        const auto known = std::find(preprocessings_.begin(), preprocessings_.end(), preprocess);
        const auto place = static_cast<std::size_t>(known - preprocessings_.begin());
        if (known == preprocessings_.end()) preprocessings_.push_back(preprocess);
        return place;
    }

    /// Computes this rank's share, then finishes the stores.
    void work(int threads, Comm& comm, const Counted& report) {
        const std::uint64_t step = rows_of_block();
        std::vector<ModelRun*> runs;
        for (const VersionRun& which : versions_) {
            for (const auto& model_run : which.models) runs.push_back(model_run.get());
        }
        agree(comm, [&] {
            prediction::keeping(runs, dataset_.name, comm, [&] {
                for (std::uint64_t first = 0; first < dataset_.size(); first += step) {
                    block(first, std::min<std::uint64_t>(first + step, dataset_.size()), threads,
                          report);
                }
            });
        });
        block_.clear();
        for (VersionRun& which : versions_) {
            for (auto& model_run : which.models) model_run->writer.finish(comm);
        }
    }

private:
    /// The data of an image of the block.
    struct KeptImage {
        ReadImage read;
        std::string problem;  ///< reason why it cannot be read, or ""
        Image window;         ///< without pixels if it must be decoded again when it is needed
    };
    struct Batch {
        VersionRun* which;
        std::uint64_t first;
    };

    /// Rows per block: whole shards of all stores, which usually have the same size.
    std::uint64_t rows_of_block() const {
        std::uint64_t shard = batch_;
        for (const VersionRun& which : versions_) {
            for (const auto& model_run : which.models)
                shard = std::max<std::uint64_t>(shard, model_run->writer.spec().shard_rows);
        }
        return std::max<std::uint64_t>(block_images / shard, 1) * shard;
    }

    void block(std::uint64_t first, std::uint64_t end, int threads, const Counted& report) {
        std::vector<Batch> todo;
        std::vector<std::uint64_t> rows;
        for (std::uint64_t at = first; at < end; at += batch_) {
            const bool wanted =
                std::any_of(versions_.begin(), versions_.end(),
                            [&](const VersionRun& which) { return lacks(which, at); });
            for (std::uint64_t row = at; wanted && row < std::min(at + batch_, end); ++row)
                rows.push_back(row);
        }
        for (VersionRun& which : versions_) {
            for (std::uint64_t at = first; at < end; at += batch_) {
                if (lacks(which, at)) todo.push_back({&which, at});
            }
        }
        if (todo.empty()) return;
        first_ = first;
        kept_bytes_ = 0;
        block_.clear();
        block_.resize(static_cast<std::size_t>(end - first));
        const auto ahead = static_cast<std::size_t>(threads) * 2;
        parallel_blocks(rows.size(), threads, [&](std::size_t i) {
            throw_if_stopped();
            if (i + ahead < rows.size()) prediction::read_ahead(dataset_, rows[i + ahead], 1);
            read(rows[i]);
        });
        parallel_blocks(todo.size(), threads, [&](std::size_t i) {
            throw_if_stopped();
            with_note(fmt::format("predicting `{}`", todo[i].which->dataset),
                      [&] { batch(*todo[i].which, todo[i].first, report); });
        });
    }

    static bool lacks(const VersionRun& which, std::uint64_t row) {
        return std::any_of(which.models.begin(), which.models.end(),
                           [&](const auto& model_run) { return model_run->lacks(row); });
    }

    KeptImage& kept(std::uint64_t row) { return block_[static_cast<std::size_t>(row - first_)]; }

    void read(std::uint64_t row) {
        KeptImage& image = kept(row);
        Image window;
        if (auto problem = reader_.cut(row, window, image.read)) {
            image.problem = std::move(*problem);
            return;
        }
        const std::uint64_t bytes = window.pixels.size();
        if (kept_bytes_.fetch_add(bytes) + bytes <= most_window_bytes) {
            image.window = std::move(window);
        } else {
            kept_bytes_ -= bytes;
        }
    }

    /// Prepares the version of the image for its models, at its place among the batch's inputs.
    void prepare(const VersionRun& which, std::uint64_t row, prediction::PreparedBatch& prepared,
                 std::size_t place) {
        const KeptImage& image = kept(row);
        if (!image.problem.empty()) refuse(image.problem);
        Image again;
        if (image.window.pixels.empty()) {
            ReadImage now;
            if (const auto problem = reader_.cut(row, again, now)) refuse(*problem);
            if (now.hash != image.read.hash) refuse("its file has changed since the run began");
        }
        const Image corrupted =
            reader_.make(which.what, image.window.pixels.empty() ? again : image.window, row);
        prepared.put(place, corrupted);
    }

    void batch(VersionRun& which, std::uint64_t first, const Counted& report) {
        const std::size_t n = std::min<std::uint64_t>(batch_, dataset_.size() - first);
        std::vector<ModelRun*> wanting;
        for (auto& model_run : which.models) {
            if (model_run->lacks(first)) wanting.push_back(model_run.get());
        }
        const auto forms = prediction::forms_for(wanting, preprocessings_.size());
        prediction::PreparedBatch prepared(preprocessings_, forms, n);
        std::vector<RowState> states(n, RowState::ok);
        std::vector<ReadImage> images;
        std::vector<RowError> errors;
        for (std::size_t i = 0; i < n; ++i) {
            images.push_back(kept(first + i).read);
            const std::string problem =
                WindowReader::unless_unreadable([&] { prepare(which, first + i, prepared, i); });
            if (problem.empty()) continue;
            states[i] = RowState::unreadable;  // a recorded fact
            errors.push_back({first + i, RowState::unreadable, problem});
            prepared.clear(i);
        }
        prediction::run_models(wanting, prepared, first, states, errors, images);
        report(n * wanting.size(), errors.size());
    }

    const Dataset& dataset_;
    const WindowReader& reader_;
    std::uint32_t batch_;
    std::vector<VersionRun> versions_;
    std::vector<Preprocess> preprocessings_;
    std::uint64_t first_ = 0;  // first row of the block
    std::vector<KeptImage> block_;
    std::atomic<std::uint64_t> kept_bytes_{0};
};

/// A store keeps one open file, its lock.
std::size_t most_stores() {
    rlimit files{};
    const std::size_t allowed =
        ::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY
            ? static_cast<std::size_t>(files.rlim_cur)
            : 1024;
    return std::clamp<std::size_t>(allowed / 2, 1, 4096);
}

/// Ranks must not divide their common work by values that each rank determines itself.
std::size_t first_ranks_number(Comm& comm, std::size_t mine) {
    std::int64_t number = comm.rank() == 0 ? static_cast<std::int64_t>(mine) : 0;
    comm.all_reduce({&number, 1});
    return static_cast<std::size_t>(number);
}

StoreSpec corrupted_store_spec(const LoadedModel& model, const Dataset& dataset,
                               const std::string& name, const std::string& definition,
                               const PredictOptions& options, const ModelTrial& trial) {
    StoreSpec spec = prediction::store_spec_of(model, dataset, options, trial);
    spec.dataset_name = name;
    nlohmann::json provenance = nlohmann::json::parse(spec.provenance_json);
    provenance["corruption"] = nlohmann::json::parse(definition);
    spec.provenance_json = json_line(provenance);
    const std::uint32_t recorded = prediction::recorded_batch_size(options.runs, spec);
    spec.batch_size = prediction::batch_size_of(model, spec, recorded);
    if (recorded == 0 && spec.shard_rows == 0) {
        const std::uint32_t batch = spec.batch_size;
        spec.shard_rows =
            std::min(store::shard_rows_for(spec), std::max(block_images / batch, 1U) * batch);
    }
    return spec;
}

/// Checks the options before anything is written.
void check_corrupted(std::span<const LoadedModel> models, const Dataset& dataset,
                     const CorruptedVersions& versions, const PredictOptions& options) {
    prediction::check_models(models);
    if (const VersionOf there = version_of(dataset.root, dataset.name);
        there.corruption != nullptr) {
        throw Error(ErrorCode::usage,
                    fmt::format("the images of `{}` are already corrupted, according to their "
                                "folder or data set name: {} at severity {}; omit --corrupt",
                                dataset.name, there.corruption->name, there.severity));
    }
    for (const CorruptionVersion& which : versions.versions()) {
        store::check_corruption(options.runs / corrupted_dataset_name(dataset.name, which),
                                versions.definition(which));
    }
    prediction::check_images_are_there(dataset, [&] {
        return std::ranges::all_of(versions.versions(), [&](const CorruptionVersion& which) {
            const auto folder = options.runs / corrupted_dataset_name(dataset.name, which);
            return std::ranges::all_of(models, [&](const LoadedModel& model) {
                return prediction::is_complete(folder / model.spec.name);
            });
        });
    });
}

}  // namespace

CorruptedTransform corrupted_transform_named(std::string_view name) {
    if (name == "crop") return CorruptedTransform::crop;
    if (name == "model") return CorruptedTransform::own;
    throw Error(ErrorCode::usage, fmt::format("unknown transform of corrupted images `{}`{}", name,
                                              suggest(name, {"crop", "model"})));
}

Preprocess corrupted_preprocess(Preprocess preprocess, CorruptedTransform transform) {
    if (transform == CorruptedTransform::crop && preprocess.crop_mode != CropMode::none)
        preprocess.resize_size = std::max(preprocess.height, preprocess.width);
    return preprocess;
}

std::string corrupted_dataset_name(const std::string& dataset, const CorruptionVersion& which) {
    return fmt::format("{}_{}_{}", dataset, which.corruption->name, which.severity);
}

std::vector<PredictResult> predict_corrupted(std::span<const LoadedModel> models,
                                             const Dataset& dataset,
                                             const CorruptedVersions& versions,
                                             const PredictOptions& options, Comm& comm,
                                             const ProgressCallback& callback) {
    if (models.empty()) return {};
    agree(comm, [&] { check_corrupted(models, dataset, versions, options); });
    prediction::check_ranks(models, dataset, options, comm);
    std::vector<std::string> stored_as;
    for (const CorruptionVersion& which : versions.versions())
        stored_as.push_back(corrupted_dataset_name(dataset.name, which));
    const std::vector<ModelTrial> trials = try_models(models, dataset, options, comm, stored_as);
    MemoryBudget memory(options.image_memory);
    WindowReader reader(dataset, versions, prediction::decode_limits(options), memory);
    // The images are checked once for all data sets, because they are the same.
    const auto now = std::make_shared<store::ImagesNow>(dataset, options.threads);

    Progress progress;
    const std::vector<CorruptionVersion>& all = versions.versions();
    progress.total = dataset.size() * all.size() * models.size();
    std::mutex mutex;
    const auto report = [&](std::uint64_t done, std::uint64_t failed) {
        const std::scoped_lock lock(mutex);
        progress.done += done;
        progress.failed += failed;
        if (callback) callback(progress);
    };

    std::vector<PredictResult> results;
    const std::size_t each =
        first_ranks_number(comm, std::max<std::size_t>(most_stores() / models.size(), 1));
    for (std::size_t begin = 0; begin < all.size(); begin += each) {
        const std::size_t end = std::min(begin + each, all.size());
        std::map<std::uint32_t, std::unique_ptr<CorruptedRun>> runs;  // runs by batch size
        std::map<std::pair<std::size_t, std::string>, ModelRun*> by_result;
        std::vector<std::vector<std::string>> notes;
        std::uint64_t found = 0;
        for (std::size_t v = begin; v < end; ++v) {
            throw_if_stopped();
            const std::string name = corrupted_dataset_name(dataset.name, all[v]);
            const std::string definition = versions.definition(all[v]);
            std::shared_ptr<store::ImageCheck> images;
            agree(comm, [&] {
                images = std::make_shared<store::ImageCheck>(dataset, name, options.runs / name,
                                                             options.threads, now);
                for (const LoadedModel& model : models) {
                    with_note("comparing the images with the existing stores",
                              [&] { images->before(model.spec.name); });
                }
            });
            notes.push_back(images->take_notes());
            for (const LoadedModel& model : models) {
                const auto number = static_cast<std::size_t>(&model - models.data());
                const StoreSpec spec =
                    corrupted_store_spec(model, dataset, name, definition, options, trials[number]);
                StoreWriter writer =
                    StoreWriter::open(options.runs, spec, dataset, comm, definition);
                agree(comm, [&] {
                    if (comm.rank() != 0) return;
                    prediction::redo_where(
                        writer, [&](std::uint64_t row) { return reader.can_be_made(all[v], row); });
                    if (options.retry_failed) prediction::redo_failed(writer);
                });
                writer.share(comm);
                progress.total -= dataset.size() - writer.own_rows();  // rows of other parts
                const std::uint32_t batch = writer.spec().batch_size;
                auto& run = runs[batch];
                if (!run) run = std::make_unique<CorruptedRun>(dataset, reader, batch);
                if (run->versions().empty() || run->versions().back().dataset != name)
                    run->versions().push_back({all[v], name, images, {}});
                VersionRun& which = run->versions().back();
                agree(comm, [&] {
                    which.models.push_back(std::make_unique<ModelRun>(
                        model, run->place_of(model.spec.preprocess), std::move(writer),
                        *which.images, dataset, options.retry_failed));
                });
                by_result[{v, model.spec.name}] = which.models.back().get();
                found += prediction::rows_done(*which.models.back());
            }
        }
        progress.skipped += found;
        progress.done += found;
        for (auto& run : runs)
            run.second->work(prediction::threads_for(models, options), comm, report);
        for (std::size_t v = begin; v < end; ++v) {
            for (const LoadedModel& model : models) {
                results.push_back(
                    prediction::result_of(*by_result.at({v, model.spec.name}), dataset));
                results.back().dataset = corrupted_dataset_name(dataset.name, all[v]);
                results.back().dataset_notes = notes[v - begin];
                const auto number = static_cast<std::size_t>(&model - models.data());
                prediction::say_trial(trials[number], results.back());
            }
        }
    }
    prediction::sum_over_ranks(results, comm);
    return results;
}

std::vector<PredictResult> predict_corrupted(std::span<const LoadedModel> models,
                                             const Dataset& dataset,
                                             const CorruptedVersions& versions,
                                             const PredictOptions& options,
                                             const ProgressCallback& callback) {
    return predict_corrupted(models, dataset, versions, options, *self_comm(), callback);
}

}  // namespace assay
