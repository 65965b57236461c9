#include "assay/evaluate/predict.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "assay/error.h"
#include "assay/image/image.h"
#include "assay/image/preprocess.h"
#include "assay/model/model_spec.h"
#include "assay/version.h"
#include "core/cpu.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json_text.h"
#include "core/memory_budget.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "evaluate/commit.h"
#include "evaluate/prediction_run.h"
#include "evaluate/shard_buffer.h"
#include "store/image_check.h"
#include "store/layout.h"
#include "store/manifest.h"

namespace assay {
namespace prediction {

std::uint32_t recorded_batch_size(const std::filesystem::path& runs, const StoreSpec& spec) {
    // Of the manifest alone: the data set's description may have been removed, to be written anew.
    const std::filesystem::path manifest =
        store::manifest_path(runs / spec.dataset_name / spec.model_name);
    return is_there(manifest) ? store::read_manifest(manifest).spec.batch_size : 0;
}

}  // namespace prediction

namespace {

/// All that decides, beside the model's file, which numbers a score is computed from, and which
/// scores are taken.
std::string input_fingerprint(const LoadedModel& model) {
    const ModelSpec& spec = model.spec;
    const std::string pixels = fingerprint(spec.preprocess);
    if (!model.scored_by.empty()) return hash_text(pixels + model.scored_by);
    if (!spec.layout && !spec.input_type && spec.output.empty()) return pixels;
    const nlohmann::json all = to_json(spec);
    return hash_text(json_line({{"preprocess", pixels},
                                {"layout", all["layout"]},
                                {"input_type", all["input_type"]},
                                {"output", spec.output}}));
}

}  // namespace

namespace prediction {

StoreSpec store_spec(const LoadedModel& model, const Dataset& dataset,
                     const PredictOptions& options) {
    const ModelFacts& facts = model.classifier->facts();
    StoreSpec spec;
    spec.dataset_name = dataset.name;
    spec.model_name = model.spec.name;
    spec.rows = dataset.size();
    spec.classes = facts.classes;
    spec.kind = model.spec.outputs;
    spec.storage = options.storage;
    spec.top_k = options.top_k;
    spec.shard_rows = options.shard_rows;
    spec.batch_size = options.batch_size;
    spec.ids_hash = dataset.ids_fingerprint();
    spec.model_hash = model.file_hash;
    spec.preprocess_hash = input_fingerprint(model);
    // What a number may depend on that is not part of the store's identity.
    nlohmann::json provenance = {{"assay", version},
                                 {"commit", source_commit()},
                                 {"command", options.command},
                                 {"processor", cpu_name()},
                                 {"instruction_set", cpu_instruction_set()},
                                 {"threads", resolve_threads(options.threads)},
                                 {"device", facts.device},
                                 {"framework", facts.framework},
                                 {"memory_format", facts.memory_format},
                                 {"parameters", facts.parameters},
                                 {"model", to_json(model.spec)}};
    if (!model.scored_by.empty()) provenance["scored_by"] = nlohmann::json::parse(model.scored_by);
    spec.provenance_json = json_line(provenance);
    return spec;
}

void read_ahead(const Dataset& dataset, std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t i = first; i < std::min<std::uint64_t>(first + count, dataset.size()); ++i) {
        const int descriptor =
            ::open(dataset.path_of(i).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (descriptor < 0) continue;
        ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_WILLNEED);
        ::close(descriptor);
    }
}

}  // namespace prediction

namespace {

ImageBatch part_of(const ImageBatch& batch, std::size_t first, std::size_t n) {
    const std::size_t each = batch.input.size() / batch.n;
    return {batch.first_row + first, n, batch.input.subspan(first * each, n * each),
            batch.states.subspan(first, n)};
}

/// Runs a batch, in halves when memory is short; returns how often it halved.
std::uint64_t run_batch(const LoadedModel& model, const ImageBatch& batch, std::span<float> out) {
    try {
        if (model.scores) {
            model.scores(batch, out);
        } else {
            model.classifier->scores(batch.input, batch.n, out);
        }
        return 0;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory || batch.n == 1) throw;
    }
    const std::size_t half = batch.n / 2;
    const std::size_t classes = out.size() / batch.n;
    return 1 + run_batch(model, part_of(batch, 0, half), out.first(half * classes)) +
           run_batch(model, part_of(batch, half, batch.n - half), out.subspan(half * classes));
}

}  // namespace

namespace prediction {

void run_models(std::span<ModelRun* const> wanting, const std::vector<std::vector<float>>& inputs,
                std::uint64_t first, std::span<const RowState> states,
                std::span<const RowError> errors, std::span<const ReadImage> read) {
    const std::size_t n = states.size();
    for (ModelRun* model_run : wanting) {
        const LoadedModel& model = *model_run->model;
        std::vector<float> scores(n * model.classifier->facts().classes);
        with_note(
            fmt::format("running `{}` on images {} to {}", model.spec.name, first, first + n - 1),
            [&] {
                const ImageBatch batch = {first, n, inputs[model_run->preprocessing], states};
                model_run->halved += run_batch(model, batch, scores);
            });
        model_run->shards.add(first, scores, states, errors, read);
    }
}

DecodeLimits decode_limits(const PredictOptions& options) {
    DecodeLimits limits;
    limits.pixels = options.max_pixels;
    limits.bytes = options.image_memory;
    return limits;
}

std::optional<std::string> use_image(const std::filesystem::path& file, const DecodeLimits& limits,
                                     MemoryBudget& memory,
                                     const std::function<void(const Image&)>& use,
                                     ReadImage* read) {
    thread_local Image image;  // its memory is kept for the next one
    const auto release = [] { image = {}; };
    MemoryBudget::Share share;
    DecodeLimits own = limits;
    own.reserve = [&](std::uint64_t bytes) { share = memory.take(bytes); };
    std::optional<std::string> problem;
    try {
        const std::vector<std::byte> bytes = read_file(file);
        if (read != nullptr) *read = {bytes.size(), hash_bytes(bytes)};
        decode_image_into(bytes, image, own);
        use(image);
    } catch (const Error& error) {
        if (error.code() == ErrorCode::interrupted) throw;
        problem = error.message();
    } catch (const std::bad_alloc&) {
        problem = "there is not enough memory to decode it";
    }
    // What is kept is no more than most of them need.
    constexpr std::size_t most_kept = std::size_t{64} << 20;
    if (problem || image.pixels.capacity() > most_kept) release();
    return problem;
}

}  // namespace prediction

namespace {

bool is_readable(const Dataset& dataset, std::uint64_t row, const Preprocess& preprocess,
                 const DecodeLimits& limits) {
    try {
        Image image;
        decode_image_into(read_file(dataset.path_of(row)), image, limits);
        std::vector<float> input(std::size_t{3} * static_cast<std::size_t>(preprocess.height) *
                                 static_cast<std::size_t>(preprocess.width));
        preprocess_into(image, preprocess, input);
        return true;
    } catch (const Error& error) {
        if (error.code() == ErrorCode::interrupted) throw;
        return false;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

}  // namespace

namespace prediction {

bool is_complete(const std::filesystem::path& store) {
    return is_there(store / "manifest.json") && is_there(store.parent_path() / "dataset.json") &&
           PredictionStore::open(store).complete();
}

void check_images_are_there(const Dataset& dataset, const std::function<bool()>& nothing_to_do) {
    for (std::uint64_t i = 0; i < dataset.size(); ++i) {
        std::error_code error;
        if (std::filesystem::exists(dataset.path_of(i), error)) return;
    }
    if (dataset.size() == 0 || nothing_to_do()) return;
    throw Error(
        ErrorCode::bad_input,
        fmt::format(
            "none of the {} images of `{}` is in `{}` (the first would be `{}`): is this the "
            "folder, and is its disk there?",
            dataset.size(), dataset.name, dataset.root.string(), dataset.path_of(0).string()));
}

}  // namespace prediction

namespace {

using namespace prediction;

/// All models of one batch size over one data set.
class PredictionRun {
public:
    /// `memory`: for decoding; outlives this.
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

    /// (image, model) pairs that earlier runs left.
    std::uint64_t already_done() const {
        std::uint64_t rows = 0;
        for (const auto& model_run : model_runs_) rows += rows_done(*model_run);
        return rows;
    }

    std::vector<std::unique_ptr<ModelRun>>& model_runs() { return model_runs_; }

    void work(int threads,
              const std::function<void(std::uint64_t pairs, std::uint64_t failed)>& report) {
        std::vector<std::uint64_t> todo;  // first rows of the batches that some model_run lacks
        for (std::uint64_t first = 0; first < dataset_.size(); first += batch_) {
            if (std::any_of(model_runs_.begin(), model_runs_.end(),
                            [&](const auto& model_run) { return model_run->lacks(first); })) {
                todo.push_back(first);
            }
        }
        const auto ahead = static_cast<std::size_t>(threads);
        parallel_blocks(todo.size(), threads, [&](std::size_t block) {
            if (block + ahead < todo.size()) read_ahead(dataset_, todo[block + ahead], batch_);
            batch(todo[block], report);
        });
        for (auto& model_run : model_runs_) model_run->writer.finish();
    }

private:
    void batch(std::uint64_t first,
               const std::function<void(std::uint64_t, std::uint64_t)>& report) {
        const std::size_t n = std::min<std::uint64_t>(batch_, dataset_.size() - first);
        std::vector<ModelRun*> wanting;
        std::vector<bool> prepared(preprocessings_.size(), false);
        for (auto& model_run : model_runs_) {
            if (!model_run->lacks(first)) continue;
            wanting.push_back(model_run.get());
            prepared[model_run->preprocessing] = true;
        }

        // Scratch lives as long as its thread: an input buffer per distinct preprocessing.
        thread_local std::vector<std::vector<float>> inputs;
        inputs.resize(std::max(inputs.size(), preprocessings_.size()));
        std::vector<RowState> states(n, RowState::ok);
        std::vector<ReadImage> read(n);
        std::vector<RowError> errors;
        for (std::size_t p = 0; p < preprocessings_.size(); ++p) {
            if (prepared[p]) inputs[p].resize(n * input_size(p));
        }
        // An unreadable image is a recorded fact; its place in the batch stays, filled with zeros.
        for (std::size_t i = 0; i < n; ++i) {
            const auto problem = use_image(
                dataset_.path_of(first + i), limits_, memory_,
                [&](const Image& image) {
                    for (std::size_t p = 0; p < preprocessings_.size(); ++p) {
                        if (prepared[p])
                            preprocess_into(image, preprocessings_[p], input_of(inputs, p, i));
                    }
                },
                &read[i]);
            if (!problem) continue;
            states[i] = RowState::unreadable;
            errors.push_back({first + i, RowState::unreadable, *problem});
            for (std::size_t p = 0; p < preprocessings_.size(); ++p) {
                if (prepared[p]) std::ranges::fill(input_of(inputs, p, i), 0.0F);
            }
        }
        run_models(wanting, inputs, first, states, errors, read);
        report(n * wanting.size(), errors.size());
    }

    std::size_t input_size(std::size_t p) const {
        return std::size_t{3} * static_cast<std::size_t>(preprocessings_[p].height) *
               static_cast<std::size_t>(preprocessings_[p].width);
    }
    std::span<float> input_of(std::vector<std::vector<float>>& inputs, std::size_t p,
                              std::size_t i) const {
        return std::span(inputs[p]).subspan(i * input_size(p), input_size(p));
    }

    const Dataset& dataset_;
    std::uint32_t batch_;
    std::vector<std::unique_ptr<ModelRun>> model_runs_;
    std::vector<Preprocess> preprocessings_;
    DecodeLimits limits_;
    MemoryBudget& memory_;
};

}  // namespace

namespace prediction {

void check_models(std::span<const LoadedModel> models) {
    std::set<std::string> names;
    for (const LoadedModel& model : models) {
        if (!names.insert(model.spec.name).second) {
            throw Error(
                ErrorCode::usage,
                fmt::format("two models are called `{}`: give one another name", model.spec.name));
        }
        // By ids: one list may call the same classes otherwise than another.
        if (model.spec.classes.ids() != models[0].spec.classes.ids()) {
            throw Error(ErrorCode::usage,
                        fmt::format("`{}` and `{}` have different class lists ({} and {} classes): "
                                    "predict them into different "
                                    "folders",
                                    models[0].spec.name, model.spec.name,
                                    models[0].spec.classes.size(), model.spec.classes.size()));
        }
    }
}

std::uint32_t batch_size_of(const LoadedModel& model, const StoreSpec& spec,
                            std::uint32_t recorded) {
    if (spec.batch_size != 0) return spec.batch_size;
    return recorded != 0 ? recorded : default_batch_size(model.classifier->facts());
}

void redo_where(StoreWriter& writer,
                const std::function<bool(std::uint64_t row)>& can_be_read_now) {
    for (std::size_t s = 0; s < writer.shards(); ++s) {
        const std::vector<std::uint64_t> rows = writer.unreadable_rows(s);
        const bool now = std::any_of(rows.begin(), rows.end(), [&](std::uint64_t row) {
            throw_if_stopped();
            return can_be_read_now(row);
        });
        if (now) writer.redo(s);
    }
}

PredictResult result_of(const ModelRun& run, const Dataset& dataset) {
    PredictResult result;
    result.predicted = run.shards.rows();
    result.model = run.model->spec.name;
    result.store = run.writer.folder();
    result.rows = dataset.size();
    const StoreWriter::BadRows bad = run.writer.bad_rows();
    result.bad_rows = bad.count;
    if (bad.first)
        result.first_error = fmt::format("{}: {}", dataset.ids[bad.first->row], bad.first->message);
    result.notes = run.model->classifier->facts().notes;
    result.halved = run.halved;
    return result;
}

std::uint64_t rows_done(const ModelRun& run) {
    std::uint64_t rows = 0;
    for (std::size_t s = 0; s < run.writer.shards(); ++s) {
        if (!run.lacking[s]) rows += run.writer.rows_in(s);
    }
    return rows;
}

}  // namespace prediction

LoadedModel load_model(ModelSpec spec, const ClassifierOptions& options) {
    LoadedModel loaded;
    loaded.file_hash = hash_file(spec.path);
    const auto open = [&] { loaded.classifier = open_classifier(spec, options); };
    if (spec.instead_of.empty()) {
        open();
    } else {
        with_note(fmt::format("giving it images of the size that {} says it is evaluated at; "
                              "train_size (--train-size) takes {}",
                              spec.sidecar.string(), spec.instead_of),
                  open);
    }
    if (const auto& others = loaded.classifier->facts().data_files; !others.empty()) {
        // Weights in other files: two models may share the file that names them.
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
                    fmt::format("`{}` returns {} scores, but its class list has {} classes",
                                spec.path.string(), classes, spec.classes.size()));
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
                                   const PredictOptions& options,
                                   const ProgressCallback& callback) {
    check_models(models);
    check_images_are_there(dataset, [&] {
        return std::all_of(models.begin(), models.end(), [&](const LoadedModel& model) {
            return is_complete(options.runs / dataset.name / model.spec.name);
        });
    });
    store::ImageCheck images(dataset, options.runs / dataset.name, options.threads);
    for (const LoadedModel& model : models) {
        with_note("comparing the images with the stores that are there",
                  [&] { images.before(model.spec.name); });
    }
    const std::vector<std::string> dataset_notes = images.take_notes();

    // Models that share a batch size share the decoding of every image.
    std::map<std::uint32_t, std::vector<std::unique_ptr<ModelRun>>> model_runs_by_batch;
    std::map<std::uint32_t, std::vector<Preprocess>> preprocessings_by_batch;
    for (const LoadedModel& model : models) {
        PredictOptions own = options;
        if (const auto fixed = model.classifier->facts().fixed_batch; fixed > 0)
            own.batch_size = static_cast<std::uint32_t>(fixed);
        StoreSpec spec = store_spec(model, dataset, own);
        const std::uint32_t recorded = recorded_batch_size(options.runs, spec);
        spec.batch_size = batch_size_of(model, spec, recorded);
        if (recorded == 0 && options.shard_per_batch && spec.shard_rows == 0)
            spec.shard_rows = spec.batch_size;
        StoreWriter writer = StoreWriter::open(options.runs, spec, dataset);
        redo_where(writer, [&](std::uint64_t row) {
            return is_readable(dataset, row, model.spec.preprocess, decode_limits(options));
        });
        const std::uint32_t batch = writer.spec().batch_size;
        auto& preprocessings = preprocessings_by_batch[batch];
        const auto known =
            std::find(preprocessings.begin(), preprocessings.end(), model.spec.preprocess);
        const auto index = static_cast<std::size_t>(known - preprocessings.begin());
        if (known == preprocessings.end()) preprocessings.push_back(model.spec.preprocess);
        model_runs_by_batch[batch].push_back(
            std::make_unique<ModelRun>(model, index, std::move(writer), images));
    }

    MemoryBudget memory(options.image_memory);
    std::vector<PredictionRun> runs;
    runs.reserve(model_runs_by_batch.size());
    for (auto& [batch, model_runs] : model_runs_by_batch) {
        runs.emplace_back(dataset, batch, std::move(model_runs),
                          std::move(preprocessings_by_batch[batch]), decode_limits(options),
                          memory);
    }

    Progress progress;
    progress.total = dataset.size() * models.size();
    for (const PredictionRun& run : runs) progress.skipped += run.already_done();
    progress.done = progress.skipped;
    std::mutex mutex;
    const auto report = [&](std::uint64_t pairs, std::uint64_t failed) {
        const std::scoped_lock lock(mutex);
        progress.done += pairs;
        progress.failed += failed;
        if (callback) callback(progress);
    };

    std::map<std::string, PredictResult> by_model;
    for (PredictionRun& run : runs) {
        run.work(resolve_threads(options.threads), report);
        for (const auto& model_run : run.model_runs()) {
            PredictResult result = result_of(*model_run, dataset);
            result.dataset = dataset.name;
            result.dataset_notes = dataset_notes;
            by_model[result.model] = result;
        }
    }
    std::vector<PredictResult> results;
    for (const LoadedModel& model : models) results.push_back(by_model.at(model.spec.name));
    return results;
}

}  // namespace assay
