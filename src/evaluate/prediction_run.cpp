#include "evaluate/prediction_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "assay/error.h"
#include "assay/image/image.h"
#include "assay/model/model_spec.h"
#include "assay/version.h"
#include "core/cpu.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json_text.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "core/text.h"
#include "data/visit_images.h"
#include "evaluate/commit.h"
#include "evaluate/model_trial.h"
#include "evaluate/written_rows.h"
#include "image/decoder_version.h"
#include "model/fused_graph.h"
#include "model/python/python_model.h"
#include "store/layout.h"
#include "store/parts.h"
#include "store/same_data.h"

namespace assay::prediction {
namespace {

/// All settings besides the model's file that determine the scores, and which scores are
/// used.
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

/// Includes precision and runtime if they are not the usual ones, which are fp32, Assay's own
/// runtime and step-by-step execution of the graph.
std::string computing_fingerprint(const LoadedModel& model) {
    const std::string input = input_fingerprint(model);
    const ModelFacts& facts = model.classifier->facts();
    nlohmann::json all = {{"input", input}};
    if (facts.precision != Precision::fp32) all["precision"] = name_of(facts.precision);
    if (facts.runtime != ModelRuntime::libtorch) all["runtime"] = name_of(facts.runtime);
    if (facts.memory_format.ends_with(fused_graph_mark)) all["graph"] = "fused";
    return all.size() == 1 ? input : hash_text(json_line(all));
}

/// Stores of such a model match no later run.
constexpr std::string_view nameless_advice =
    "nothing identifies the model, so a new process cannot resume it: use another --out, or give "
    "the model an identity";

/// Returns false if some scores could not be saved. The error that ended the work says more.
bool keep_all(std::span<ModelRun* const> runs) {
    bool kept = true;
    for (ModelRun* run : runs) {
        try {
            run->shards.keep();
        } catch (const std::exception&) {
            kept = false;
        }
    }
    return kept;
}

}  // namespace

ComputedOn computed_on(const LoadedModel& model) {
    const ModelFacts& facts = model.classifier->facts();
    const bool plain = facts.precision == Precision::fp32;
    return {facts.device, facts.framework, plain ? "" : std::string(name_of(facts.precision))};
}

std::uint32_t recorded_batch_size(const std::filesystem::path& runs, const StoreSpec& spec) {
    // Uses only the manifest, because the user may have removed the data set's description to have
    // it written again.
    const auto there = store::any_manifest(runs / spec.dataset_name / spec.model_name);
    return there ? there->spec.batch_size : 0;
}

StoreSpec store_spec(const LoadedModel& model, const Dataset& dataset,
                     const PredictOptions& options) {
    const ModelFacts& facts = model.classifier->facts();
    StoreSpec spec;
    spec.dataset_name = dataset.name;
    spec.model_name = model.spec.name;
    spec.rows = dataset.size();
    spec.classes = facts.classes;
    spec.kind = model.spec.outputs;
    spec.storage = options.storage.storage;
    spec.top_k = options.storage.top_k;
    spec.shard_rows = options.shard_rows;
    spec.batch_size = options.batch_size;
    spec.part = options.part;
    spec.ids_hash = dataset.ids_fingerprint();
    spec.model_hash = model.file_hash;
    spec.preprocess_hash = computing_fingerprint(model);
    spec.decoder = decoder_version;
    // Settings that may affect numbers but are not part of the store's identity.
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
    if (facts.lanes > 0) provenance["devices"] = facts.devices;
    if (facts.precision != Precision::fp32) provenance["precision"] = name_of(facts.precision);
    if (facts.runtime != ModelRuntime::libtorch) provenance["runtime"] = name_of(facts.runtime);
    if (options.no_trial) provenance["no_trial"] = true;
    if (!model.scored_by.empty()) provenance["scored_by"] = nlohmann::json::parse(model.scored_by);
    spec.provenance_json = json_line(provenance);
    return spec;
}

StoreSpec store_spec_of(const LoadedModel& model, const Dataset& dataset,
                        const PredictOptions& options, const ModelTrial& trial) {
    PredictOptions own = options;
    if (trial.batch > 0) own.batch_size = trial.batch;
    if (const auto fixed = model.classifier->facts().fixed_batch; fixed > 0)
        own.batch_size = static_cast<std::uint32_t>(fixed);
    StoreSpec spec = store_spec(model, dataset, own);
    if (trial.batch > 0) evaluate::record_images_alone(spec);
    return spec;
}

void say_trial(const ModelTrial& trial, PredictResult& result) {
    if (trial.batch > 0) result.notes.emplace_back(evaluate::alone_note);
}

void read_ahead(const Dataset& dataset, std::uint64_t first, std::uint64_t count) {
    if (dataset.archive != nullptr) return;  // it reads many images at once
    for (std::uint64_t i = first; i < std::min<std::uint64_t>(first + count, dataset.size()); ++i) {
        const int descriptor =
            ::open(dataset.path_of(i).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (descriptor < 0) continue;
        ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_WILLNEED);
        ::close(descriptor);
    }
}

int threads_for(std::span<const LoadedModel> models, const PredictOptions& options) {
    std::uint32_t waiting = 0;
    for (const LoadedModel& model : models)
        waiting = std::max(waiting, model.classifier->facts().lanes);
    if (options.threads > 0) return options.threads;
    return resolve_threads(0) + static_cast<int>(waiting);
}

std::vector<PreparedBatch::Forms> forms_for(std::span<ModelRun* const> models,
                                            std::size_t preprocessings) {
    std::vector<PreparedBatch::Forms> forms(preprocessings);
    for (const ModelRun* model : models) {
        PreparedBatch::Forms& wanted = forms[model->preprocessing];
        (model->takes_bytes() ? wanted.bytes : wanted.floats) = true;
    }
    return forms;
}

void run_models(std::span<ModelRun* const> wanting, const PreparedBatch& prepared,
                std::uint64_t first, std::span<const RowState> states,
                std::span<const RowError> errors, std::span<const ReadImage> read) {
    const std::size_t n = states.size();
    for (ModelRun* model_run : wanting) {
        const LoadedModel& model = *model_run->model;
        const std::size_t classes = model.classifier->facts().classes;
        std::vector<float> scores(n * classes);
        std::vector<RowState> own_states(states.begin(), states.end());
        std::vector<RowError> own_errors(errors.begin(), errors.end());
        with_note(
            fmt::format("running `{}` on images {} to {}", model.spec.name, first, first + n - 1),
            [&] {
                std::vector<UnscoredImage> unscored;
                ImageBatch batch = {first, n, {}, states, {}, &unscored};
                if (model_run->takes_bytes()) {
                    batch.bytes = prepared.bytes(model_run->preprocessing);
                } else {
                    batch.input = prepared.floats(model_run->preprocessing);
                }
                const auto lacks = [&](std::uint64_t row, std::string why) {
                    const auto place = static_cast<std::size_t>(row - first);
                    // A batch that was computed in parts may report the image twice.
                    if (own_states[place] != RowState::ok) return;
                    own_states[place] = RowState::not_finite;
                    own_errors.push_back({row, RowState::not_finite, std::move(why)});
                    std::fill_n(scores.begin() + static_cast<std::ptrdiff_t>(place * classes),
                                classes, std::numeric_limits<float>::quiet_NaN());
                };
                for (FailedImage& image : model_run->batches.run(batch, scores))
                    lacks(image.row, std::move(image.why));
                for (UnscoredImage& image : unscored) lacks(image.row, std::move(image.why));
                batch.states = own_states;
                batch.unscored = nullptr;
                if (model_run->watch) model_run->watch(batch, scores);
            });
        model_run->shards.add(first, scores, own_states, own_errors, read);
    }
}

DecodeLimits decode_limits(const PredictOptions& options) {
    DecodeLimits limits;
    limits.pixels = options.max_pixels;
    limits.bytes = options.image_memory;
    return limits;
}

std::optional<std::string> use_image(const Dataset& dataset, std::uint64_t item,
                                     const DecodeLimits& limits, MemoryBudget& memory,
                                     const std::function<void(const Image&)>& use,
                                     ReadImage* read) {
    return visit_image(
        dataset, static_cast<std::size_t>(item), limits, memory,
        [&](std::span<const std::byte> bytes) {
            if (read != nullptr) *read = image_read(bytes);
        },
        use);
}

bool is_complete(const std::filesystem::path& store) {
    return store::is_store_folder(store) && is_there(store.parent_path() / "dataset.json") &&
           PredictionStore::open(store).complete();
}

void check_images_are_there(const Dataset& dataset, const std::function<bool()>& nothing_to_do) {
    if (dataset.archive != nullptr) return;  // the archive existed when it was opened
    for (std::uint64_t i = 0; i < dataset.size(); ++i) {
        std::error_code error;
        if (std::filesystem::exists(dataset.path_of(i), error)) return;
    }
    if (dataset.size() == 0 || nothing_to_do()) return;
    throw Error(ErrorCode::bad_input,
                fmt::format("none of the {} images of `{}` is in `{}` (the first would be `{}`); "
                            "check the folder, and that its disk is mounted",
                            dataset.size(), dataset.name, dataset.root.string(),
                            dataset.path_of(0).string()));
}

void check_models(std::span<const LoadedModel> models) {
    std::set<std::string> names;
    for (const LoadedModel& model : models) {
        if (!names.insert(model.spec.name).second) {
            throw Error(ErrorCode::usage,
                        fmt::format("two models are called `{}`: give each a name with --name",
                                    model.spec.name));
        }
        // Compares by ids: lists may have different names for the same classes.
        const ClassList &first = models[0].spec.classes, &own = model.spec.classes;
        if (!store::same_class_ids(first, own)) {
            throw Error(
                ErrorCode::usage,
                fmt::format("`{}` and `{}` have different class lists: {}: predict them into "
                            "different folders (--out), or pass the right list with --classes FILE",
                            models[0].spec.name, model.spec.name,
                            store::classes_difference(first, own, store::Sides())));
        }
    }
}

void check_ranks(std::span<const LoadedModel> models, const Dataset& dataset,
                 const PredictOptions& options, Comm& comm) {
    if (comm.size() == 1) return;
    agree_on(comm, fmt::format("the images of `{}`", dataset.name), dataset.ids_fingerprint());
    for (const LoadedModel& model : models) {
        const StoreSpec spec = store_spec(model, dataset, options);
        const std::string name = fmt::format("`{}`", model.spec.name);
        agree_on(comm, "the file of the model " + name, spec.model_hash);
        agree_on(comm, "the preprocessing of " + name, spec.preprocess_hash);
    }
}

void sum_over_ranks(std::vector<PredictResult>& results, Comm& comm) {
    std::vector<std::int64_t> counts;
    for (const PredictResult& result : results) {
        counts.push_back(static_cast<std::int64_t>(result.predicted));
        counts.push_back(static_cast<std::int64_t>(result.halved));
    }
    comm.all_reduce(counts);
    for (std::size_t i = 0; i < results.size(); ++i) {
        results[i].predicted = static_cast<std::uint64_t>(counts[2 * i]);
        results[i].halved = static_cast<std::uint64_t>(counts[2 * i + 1]);
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

void redo_failed(StoreWriter& writer) {
    for (std::size_t s = 0; s < writer.shards(); ++s) {
        throw_if_stopped();
        if (writer.has(s) && failed_rows(writer.folder(), writer.spec(), s) > 0) writer.redo(s);
    }
}

PredictResult result_of(const ModelRun& run, const Dataset& dataset) {
    PredictResult result;
    result.predicted = run.shards.rows();
    result.model = run.model->spec.name;
    result.store = run.writer.folder();
    result.rows = run.writer.own_rows();
    const StoreWriter::BadRows bad = run.writer.bad_rows();
    result.bad_rows = bad.count;
    if (bad.first)
        result.first_error = fmt::format("{}: {}", dataset.ids[bad.first->row], bad.first->message);
    result.notes = run.model->classifier->facts().notes;
    if (const std::string& lock = run.writer.lock_warning(); !lock.empty())
        result.notes.push_back(fmt::format("`{}`: {}", run.writer.folder().string(), lock));
    if (run.writer.own_rows() == 0) {
        result.notes.push_back(fmt::format("this part has no images: the store has {} of {} images",
                                           how_many(run.writer.shards(), "shard"),
                                           run.writer.spec().shard_rows));
    }
    for (std::string& note : run.batches.notes(dataset)) result.notes.push_back(std::move(note));
    result.halved = run.batches.halved();
    return result;
}

std::uint64_t rows_done(const ModelRun& run) {
    std::uint64_t rows = 0;
    for (std::size_t s = 0; s < run.writer.shards(); ++s) {
        if (run.writer.is_own(s) && !run.lacking[s]) rows += run.writer.rows_in(s);
    }
    return rows + run.shards.found_rows();
}

void keeping(std::span<ModelRun* const> runs, const std::string& dataset, const Comm& comm,
             const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        const bool stopped = error.code() == ErrorCode::interrupted;
        if (!keep_all(runs) || (!stopped && comm.size() > 1)) throw;
        std::uint64_t kept = 0, all = 0;
        for (const ModelRun* run : runs) {
            kept += rows_done(*run) + run->shards.kept_rows();
            all += run->writer.own_rows();
        }
        if (!stopped && kept == 0) throw;
        const bool nameless = std::ranges::any_of(runs, [](const ModelRun* run) {
            return run->model->spec.python &&
                   run->model->spec.python->description().identity.empty();
        });
        const std::string what = comm.size() > 1
                                     // for all ranks; each only knows its own
                                     ? "what was computed"
                                     : fmt::format("{} of {} {}", kept, all,
                                                   runs.size() == 1 ? "images" : "predictions");
        Error told(error.code(),
                   fmt::format("{} {} of `{}` {} kept; {}",
                               stopped ? "interrupted:" : error.message() + ";", what, dataset,
                               comm.size() > 1 ? "is" : "are",
                               nameless ? nameless_advice : "run the same command to resume"));
        if (!stopped) {
            for (const std::string& note : error.notes()) told.add_note(note);
        }
        throw told;
    } catch (...) {
        keep_all(runs);
        throw;
    }
}

}  // namespace assay::prediction
