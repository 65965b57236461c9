#include "assay/evaluate/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "assay/error.h"
#include "assay/image/image.h"
#include "assay/image/preprocess.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/memory_budget.h"
#include "core/parallel.h"
#include "data/name_hash.h"
#include "evaluate/inspect/recorded_images.h"
#include "evaluate/model_trial.h"
#include "evaluate/prediction_run.h"
#include "evaluate/watched_predict.h"
#include "model/python/python_model.h"
#include "store/image_check.h"

namespace assay {
namespace {

using namespace prediction;

/// The run of all models with one batch size over one data set.
class PredictionRun {
public:
    /// `memory` is for decoding and must outlive this.
    PredictionRun(const Dataset& dataset, std::uint32_t batch,
                  std::vector<std::unique_ptr<ModelRun>> model_runs,
                  std::vector<Preprocess> preprocessings, const DecodeLimits& limits,
                  MemoryBudget& memory)
        : dataset_(dataset),
          batch_(batch),
          model_runs_(std::move(model_runs)),
          preprocessings_(std::move(preprocessings)),
          limits_(limits),
          memory_(memory) {}

    /// Number of (image, model) pairs from earlier runs.
    std::uint64_t already_done() const {
        std::uint64_t rows = 0;
        for (const auto& model_run : model_runs_) rows += rows_done(*model_run);
        return rows;
    }

    /// Number of (image, model) pairs of this run.
    std::uint64_t rows() const {
        std::uint64_t rows = 0;
        for (const auto& model_run : model_runs_) rows += model_run->writer.own_rows();
        return rows;
    }

    std::vector<std::unique_ptr<ModelRun>>& model_runs() { return model_runs_; }

    /// Computes this rank's share, then finishes the stores.
    void work(int threads, bool in_hash_order, Comm& comm,
              const std::function<void(std::uint64_t pairs, std::uint64_t failed)>& report) {
        std::vector<std::uint64_t> todo;  // first rows of the batches that some model_run lacks
        for (std::uint64_t first = 0; first < dataset_.size(); first += batch_) {
            if (std::any_of(model_runs_.begin(), model_runs_.end(),
                            [&](const auto& model_run) { return model_run->lacks(first); })) {
                todo.push_back(first);
            }
        }
        if (in_hash_order) {
            std::ranges::stable_sort(todo, {}, [&](std::uint64_t first) {
                return name_hash(dataset_.ids[static_cast<std::size_t>(first)]).first;
            });
        }
        const auto ahead = static_cast<std::size_t>(threads);
        agree(comm, [&] {
            keeping(wanting(), dataset_.name, comm, [&] {
                parallel_blocks(todo.size(), threads, [&](std::size_t block) {
                    if (block + ahead < todo.size())
                        read_ahead(dataset_, todo[block + ahead], batch_);
                    batch(todo[block], report);
                });
            });
        });
        for (auto& model_run : model_runs_) model_run->writer.finish(comm);
    }

private:
    /// The runs that lack the batch that begins with this row; without a row, all runs.
    std::vector<ModelRun*> wanting(std::optional<std::uint64_t> first = {}) const {
        std::vector<ModelRun*> runs;
        for (const auto& model_run : model_runs_) {
            if (!first || model_run->lacks(*first)) runs.push_back(model_run.get());
        }
        return runs;
    }

    void batch(std::uint64_t first,
               const std::function<void(std::uint64_t, std::uint64_t)>& report) {
        const std::size_t n = std::min<std::uint64_t>(batch_, dataset_.size() - first);
        const std::vector<ModelRun*> models = wanting(first);
        const auto forms = forms_for(models, preprocessings_.size());
        PreparedBatch prepared(preprocessings_, forms, n);
        std::vector<RowState> states(n, RowState::ok);
        std::vector<ReadImage> read(n);
        std::vector<RowError> errors;
        // An unreadable image is a recorded fact.
        for (std::size_t i = 0; i < n; ++i) {
            const auto problem = use_image(
                dataset_, first + i, limits_, memory_,
                [&](const Image& image) { prepared.put(i, image); }, &read[i]);
            if (!problem) continue;
            states[i] = RowState::unreadable;
            errors.push_back({first + i, RowState::unreadable, *problem});
            prepared.clear(i);
        }
        run_models(models, prepared, first, states, errors, read);
        report(n * models.size(), errors.size());
    }

    const Dataset& dataset_;
    std::uint32_t batch_;
    std::vector<std::unique_ptr<ModelRun>> model_runs_;
    std::vector<Preprocess> preprocessings_;
    DecodeLimits limits_;
    MemoryBudget& memory_;
};

/// Notes on images from the records of the store, or of the part of it that was written.
std::vector<std::string> notes_of(const StoreWriter& writer, const Dataset& dataset) {
    const auto found = inspect::recorded_images(writer.folder(), writer.spec(), dataset, 1);
    return found ? notes_on_images(*found) : std::vector<std::string>();
}

}  // namespace

LoadedModel load_model(ModelSpec spec, const ClassifierOptions& options) {
    LoadedModel loaded;
    loaded.trial = std::make_shared<TrialMemory>();
    loaded.file_hash = spec.python ? spec.python->file_hash() : hash_file(spec.path);
    const auto open = [&] { loaded.classifier = open_classifier(spec, options); };
    if (spec.instead_of.empty()) {
        open();
    } else {
        with_note(fmt::format("using images of the evaluation size in {} (--train-size uses {})",
                              spec.sidecar.empty() ? "the model" : spec.sidecar.string(),
                              spec.instead_of),
                  open);
    }
    if (const auto& others = loaded.classifier->facts().data_files; !others.empty()) {
        // The weights are in other files, so two models may share the file that names these.
        Hasher all;
        all.add_field(loaded.file_hash);
        for (const std::filesystem::path& file : others) all.add_field(hash_file(file));
        loaded.file_hash = all.digest();
    }
    const std::uint32_t classes = loaded.classifier->facts().classes;
    if (spec.classes.empty()) {
        if (classes == imagenet_classes().size()) {
            spec.classes = imagenet_classes();
        } else {
            std::vector<std::string> numbers(classes);
            for (std::uint32_t c = 0; c < classes; ++c) numbers[c] = std::to_string(c);
            spec.classes = ClassList(std::move(numbers));
        }
    }
    if (spec.classes.size() != classes) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("`{}` returns {} scores, but its class list has {} classes: give a "
                                "list of {} with --classes FILE",
                                spec.path.string(), classes, spec.classes.size(), classes));
    }
    spec.num_classes = classes;
    loaded.spec = std::move(spec);
    return loaded;
}

std::uint32_t default_batch_size(const ModelFacts& facts) {
    if (facts.fixed_batch > 0) return static_cast<std::uint32_t>(facts.fixed_batch);
    return facts.device == "cpu" ? 8 : 64;
}

std::vector<PredictResult> predict(std::span<const LoadedModel> models, const Dataset& dataset,
                                   const PredictOptions& options, Comm& comm,
                                   const ProgressCallback& callback) {
    return evaluate::predict_watched(models, dataset, options, comm, {}, callback);
}

std::vector<PredictResult> evaluate::predict_watched(std::span<const LoadedModel> models,
                                                     const Dataset& dataset,
                                                     const PredictOptions& options, Comm& comm,
                                                     const PredictWatch& watch,
                                                     const ProgressCallback& callback) {
    std::optional<store::ImageCheck> checked;
    agree(comm, [&] {
        check_models(models);
        check_images_are_there(dataset, [&] {
            return std::all_of(models.begin(), models.end(), [&](const LoadedModel& model) {
                return is_complete(options.runs / dataset.name / model.spec.name);
            });
        });
        checked.emplace(dataset, options.runs / dataset.name, options.threads);
        for (const LoadedModel& model : models) {
            with_note("comparing the images with the existing stores",
                      [&] { checked->before(model.spec.name); });
        }
    });
    check_ranks(models, dataset, options, comm);
    store::ImageCheck& images = *checked;
    const std::vector<std::string> dataset_notes = images.take_notes();
    const std::vector<ModelTrial> trials = try_models(models, dataset, options, comm);

    MemoryBudget memory(options.image_memory);
    // Models that share a batch size share the decoding of every image.
    std::map<std::uint32_t, std::vector<std::unique_ptr<ModelRun>>> model_runs_by_batch;
    std::map<std::uint32_t, std::vector<Preprocess>> preprocessings_by_batch;
    for (const LoadedModel& model : models) {
        const auto number = static_cast<std::size_t>(&model - models.data());
        StoreSpec spec = store_spec_of(model, dataset, options, trials[number]);
        const std::uint32_t recorded = recorded_batch_size(options.runs, spec);
        spec.batch_size = batch_size_of(model, spec, recorded);
        if (recorded == 0 && options.shard_per_batch && spec.shard_rows == 0)
            spec.shard_rows = spec.batch_size;
        StoreWriter writer = StoreWriter::open(options.runs, spec, dataset, comm);
        agree(comm, [&] {
            if (comm.rank() != 0) return;
            redo_where(writer, [&](std::uint64_t row) {
                std::vector<float> input(input_size(model.spec.preprocess));
                return !use_image(dataset, row, decode_limits(options), memory,
                                  [&](const Image& image) {
                                      preprocess_into(image, model.spec.preprocess, input);
                                  });
            });
            if (options.retry_failed) redo_failed(writer);
        });
        writer.share(comm);
        const std::uint32_t batch = writer.spec().batch_size;
        auto& preprocessings = preprocessings_by_batch[batch];
        const auto known =
            std::find(preprocessings.begin(), preprocessings.end(), model.spec.preprocess);
        const auto index = static_cast<std::size_t>(known - preprocessings.begin());
        if (known == preprocessings.end()) preprocessings.push_back(model.spec.preprocess);
        agree(comm, [&] {
            model_runs_by_batch[batch].push_back(std::make_unique<ModelRun>(
                model, index, std::move(writer), images, dataset, options.retry_failed));
        });
        if (!watch.batch) continue;
        model_runs_by_batch[batch].back()->watch = [&watch, number](const ImageBatch& images_of,
                                                                    std::span<const float> scores) {
            watch.batch(number, images_of, scores);
        };
    }

    std::vector<PredictionRun> runs;
    runs.reserve(model_runs_by_batch.size());
    for (auto& [batch, model_runs] : model_runs_by_batch) {
        runs.emplace_back(dataset, batch, std::move(model_runs),
                          std::move(preprocessings_by_batch[batch]), decode_limits(options),
                          memory);
    }

    Progress progress;
    for (const PredictionRun& run : runs) {
        progress.total += run.rows();
        progress.skipped += run.already_done();
    }
    progress.done = progress.skipped;
    std::mutex mutex;
    const auto report = [&](std::uint64_t pairs, std::uint64_t failed) {
        const std::scoped_lock lock(mutex);
        progress.done += pairs;
        progress.failed += failed;
        if (callback) callback(progress);
    };

    std::map<std::string, PredictResult> by_model;
    std::vector<std::string> image_notes;
    for (PredictionRun& run : runs) {
        run.work(threads_for(models, options), watch.in_hash_order, comm, report);
        // All models saw the same images.
        if (by_model.empty()) {
            agree(comm, [&] {
                if (comm.rank() == 0)
                    image_notes = notes_of(run.model_runs().front()->writer, dataset);
            });
        }
        for (const auto& model_run : run.model_runs()) {
            PredictResult result = result_of(*model_run, dataset);
            const auto number = static_cast<std::size_t>(model_run->model - models.data());
            say_trial(trials[number], result);
            result.dataset = dataset.name;
            result.dataset_notes = dataset_notes;
            by_model[result.model] = result;
        }
    }
    std::vector<PredictResult> results;
    for (const LoadedModel& model : models) {
        results.push_back(by_model.at(model.spec.name));
        results.back().image_notes = image_notes;
    }
    sum_over_ranks(results, comm);
    return results;
}

std::vector<PredictResult> predict(std::span<const LoadedModel> models, const Dataset& dataset,
                                   const PredictOptions& options,
                                   const ProgressCallback& callback) {
    return predict(models, dataset, options, *self_comm(), callback);
}

}  // namespace assay
