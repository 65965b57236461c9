#include "evaluate/attack_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "assay/error.h"
#include "assay/image/image.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/statistics.h"
#include "data/image_names.h"
#include "evaluate/batch_runner.h"
#include "evaluate/prediction_run.h"
#include "evaluate/prepared_batch.h"

namespace assay::attack {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* images_record = "attack.json";

StringColumn names_of_files(const Dataset& dataset, ImageForm form) {
    const std::string extension = fmt::format(".{}", name_of(form));
    const std::string_view fitting = extension;
    return image_names(dataset, extension, {&fitting, 1}).names;
}

json settings_of_images(const LoadedModel& model, const Dataset& dataset, const StringColumn& names,
                        const AttackRunOptions& options,
                        const std::vector<std::string>& definitions) {
    const std::vector<std::uint8_t> all_there(dataset.size(), 0);
    json attacks = json::array();
    for (const std::string& definition : definitions) attacks.push_back(json::parse(definition));
    return {{"schema", "assay.attacked_images"},
            {"schema_version", 1},
            {"model", model.spec.name},
            {"model_hash", model.file_hash},
            {"form", name_of(options.image_form)},
            {"batch_size", options.predict.batch_size},
            {"attacks", attacks},
            {"labels", hash_text(image_labels(dataset, model.spec.classes, names, all_there))},
            {"dataset",
             {{"name", dataset.name},
              {"images", dataset.size()},
              {"fingerprint", dataset.ids_fingerprint()}}}};
}

}  // namespace

/// Images of the data set as input of the attacks.
struct AttackImages::Batch {
    ImageBatch batch;
    std::vector<float> input;
    std::vector<RowState> states;
};

AttackImages::AttackImages(const LoadedModel& model, std::shared_ptr<AttackedModel> pixels,
                           const Dataset& dataset, std::vector<const AttackJob*> jobs,
                           const AttackRunOptions& options,
                           const std::vector<std::string>& definitions)
    : model_(model),
      pixels_(std::move(pixels)),
      dataset_(dataset),
      jobs_(std::move(jobs)),
      options_(options),
      shape_(pixels_->shape()),
      names_(names_of_files(dataset, options.image_form)),
      settings_(settings_of_images(model, dataset, names_, options, definitions)),
      folder_(options.images, images_record, settings_) {
    if (folder_.finished()) return;
    std::set<fs::path> parents;
    for (std::size_t i = 0; i < dataset.size(); ++i)
        parents.insert(fs::path(names_[i]).parent_path());
    for (const AttackJob* job : jobs_) {
        for (const fs::path& parent : parents) make_folders(folder_.path() / job->variant / parent);
    }
}

AttackFile AttackImages::file_of(const AttackJob& job) const {
    // A smallest change has no budget: its pixels are rounded to the nearest level.
    const Norm norm = job.smallest ? Norm::linf : job.options.norm;
    return {options_.image_form, shape_, model_.spec.preprocess.channel_order == ChannelOrder::bgr,
            norm, job.smallest ? 1 : job.options.eps};
}

fs::path AttackImages::path_of(const AttackJob& job, std::uint64_t item) const {
    return folder_.path() / job.variant / names_[static_cast<std::size_t>(item)];
}

void AttackImages::write(const AttackJob& job, const ImageBatch& batch,
                         std::span<const float> images) const {
    if (folder_.finished()) return;
    const std::size_t size = shape_.size();
    for (std::size_t i = 0; i < batch.n; ++i) {
        if (batch.states[i] != RowState::ok) continue;
        write_renamed(path_of(job, batch.first_row + i),
                      file_of(job).encoded(batch.input.subspan(i * size, size),
                                           images.subspan(i * size, size)));
    }
}

AttackImages::Batch AttackImages::load(std::uint64_t first, std::size_t n,
                                       MemoryBudget& memory) const {
    Batch out;
    const std::size_t size = prediction::input_size(model_.spec.preprocess);
    out.input.assign(n * size, 0);
    out.states.assign(n, RowState::ok);
    const DecodeLimits limits = prediction::decode_limits(options_.predict);
    const Preprocess preprocess = attacked_preprocess(model_.spec.preprocess, options_.space);
    for (std::size_t i = 0; i < n; ++i) {
        const auto own = std::span(out.input).subspan(i * size, size);
        if (prediction::use_image(dataset_, first + i, limits, memory, [&](const Image& image) {
                preprocess_into(image, preprocess, own);
            })) {
            std::ranges::fill(own, 0.0F);
            out.states[i] = RowState::unreadable;
        }
    }
    std::vector<float> planes;
    out.batch = as_attacked({first, n, out.input, out.states}, shape_, planes);
    if (!planes.empty()) {
        out.input = std::move(planes);
        out.batch.input = out.input;
    }
    return out;
}

bool AttackImages::read_all(const AttackJob& job, const ImageBatch& batch,
                            std::vector<float>& images) const {
    const std::size_t size = shape_.size();
    const AttackFile file = file_of(job);
    for (std::size_t i = 0; i < batch.n; ++i) {
        if (batch.states[i] != RowState::ok) continue;
        const auto own = std::span(images).subspan(i * size, size);
        if (!file.read(path_of(job, batch.first_row + i), own) ||
            !file.allows(batch.input.subspan(i * size, size), own))
            return false;
    }
    return true;
}

void AttackImages::classify(const AttackJob& job, const std::shared_ptr<const CleanScores>& clean,
                            const ImageBatch& batch, std::span<float> scores) const {
    std::vector<float> images(batch.input.begin(), batch.input.end());
    if (!read_all(job, batch, images)) {
        // The images are missing after a run without images or a killed run: the same attack gives
        // the same bits.
        const AttackedImages made = BatchAttack(pixels_, clean, dataset_, job).run(batch);
        write(job, batch, made.images);
        if (!read_all(job, batch, images)) {
            throw Error(ErrorCode::internal, fmt::format("{}: an image from row {} on differs from "
                                                         "what was written, or exceeds the budget",
                                                         job.variant, batch.first_row));
        }
    }
    pixels_->scores(images, batch.n, scores);
}

void AttackImages::offer(std::size_t j, const std::vector<RowOutcome>& clean,
                         const std::vector<RowOutcome>& outcomes, const CleanScores& clean_scores,
                         const ImageBatch& batch, bool fails, std::span<const float> scores,
                         AttackExamples& examples) const {
    const std::size_t classes = pixels_->classes(), size = shape_.size();
    const auto scores_before = [&](std::size_t i) {
        if (!fails) return clean_scores.of(batch).subspan(i * classes, classes);
        return clean_scores.of({batch.first_row + i, 1, batch.input.subspan(i * size, size),
                                batch.states.subspan(i, 1)});
    };
    for (std::size_t i = 0; i < batch.n; ++i) {
        const auto item = static_cast<std::size_t>(batch.first_row) + i;
        // Without scores, there is no class to show.
        if (clean[item] != RowOutcome::correct || outcomes[item] != RowOutcome::incorrect) continue;
        examples.offer(j, item, dataset_.ids[item], [&] {
            const ScoreKind kind = jobs_[j]->kind;
            return std::pair(prediction_of(scores_before(i), kind),
                             prediction_of(scores.subspan(i * classes, classes), kind));
        });
    }
}

void AttackImages::write_examples(const AttackExamples& examples, MemoryBudget& memory) const {
    std::vector<AttackFile> files;
    for (const AttackJob* job : jobs_) files.push_back(file_of(*job));
    ExamplesFile made = {
        model_.spec.name, model_.file_hash, dataset_.name, dataset_.ids_fingerprint(), {}};
    attack::write_examples(folder_.path(), examples, jobs_, files, dataset_, model_.spec.classes,
                           std::move(made), [&](std::size_t j, std::uint64_t item) {
                               throw_if_stopped();
                               Batch one = load(item, 1, memory);
                               ExampleImages images{one.input, one.input};
                               if (!read_all(*jobs_[j], one.batch, images.attacked))
                                   throw Error(
                                       ErrorCode::internal,
                                       fmt::format("{}: an image changed since it was first read",
                                                   path_of(*jobs_[j], item).string()));
                               return images;
                           });
}

fs::path AttackImages::examples() const {
    const fs::path file = folder_.final_path() / examples_file;
    return is_there(file) ? file : fs::path();
}

std::vector<SavedAttack> AttackImages::finish(const std::vector<RowOutcome>& clean,
                                              std::span<const std::vector<RowOutcome>> attacked,
                                              std::span<const std::uint32_t> batch_sizes,
                                              const ProgressCallback& callback) {
    std::vector<SavedAttack> saved(jobs_.size());
    if (folder_.finished()) {
        const json record =
            json::parse(read_text(folder_.final_path() / images_record, std::uint64_t{16} << 20),
                        nullptr, false);
        try {
            for (std::size_t j = 0; j < jobs_.size(); ++j) {
                const json& made = record.at("made").at(jobs_[j]->variant);
                saved[j].images = made.at("images").get<std::uint64_t>();
                saved[j].robust = made.at("robust").get<std::uint64_t>();
                saved[j].lost = made.at("lost").get<std::uint64_t>();
            }
        } catch (const json::exception&) {
            refuse((folder_.final_path() / images_record).string() +
                   ": damaged: `made` holds `images`, `robust` and `lost` of each attack");
        }
    } else {
        std::vector<std::vector<RowOutcome>> outcomes(
            jobs_.size(), std::vector<RowOutcome>(dataset_.size(), RowOutcome::none));
        // For each job: images that have no file, or that the model cannot compute.
        std::vector<std::vector<std::uint8_t>> left_out(
            jobs_.size(), std::vector<std::uint8_t>(dataset_.size(), 0));
        const auto clean_scores = std::make_shared<const CleanScores>(pixels_);
        AttackExamples examples(jobs_.size());
        MemoryBudget memory(options_.predict.image_memory);
        std::mutex mutex;
        Progress progress;
        progress.total = dataset_.size() * jobs_.size();
        std::vector<prediction::BatchRunner::Instead> classifying;
        for (const AttackJob* job : jobs_) {
            classifying.emplace_back([&, job](const ImageBatch& batch, std::span<float> scores) {
                classify(*job, clean_scores, batch, scores);
            });
        }
        std::vector<std::unique_ptr<prediction::BatchRunner>> runners;
        for (const auto& instead : classifying) {
            runners.push_back(std::make_unique<prediction::BatchRunner>(*model_.classifier,
                                                                        model_.spec.name, instead));
        }
        std::map<std::uint32_t, std::vector<std::size_t>> jobs_by_batch;
        for (std::size_t j = 0; j < jobs_.size(); ++j) jobs_by_batch[batch_sizes[j]].push_back(j);
        for (const auto& alike : jobs_by_batch) {
            const std::uint32_t size = alike.first;
            const std::vector<std::size_t>& jobs = alike.second;
            const auto one_batch = [&](std::size_t block) {
                throw_if_stopped();
                const std::uint64_t first = std::uint64_t{block} * size;
                const Batch batch =
                    load(first, std::min<std::uint64_t>(size, dataset_.size() - first), memory);
                const std::size_t classes = pixels_->classes();
                std::vector<float> scores(batch.batch.n * classes);
                for (const std::size_t j : jobs) {
                    for (std::size_t i = 0; i < batch.batch.n; ++i)
                        left_out[j][first + i] = batch.states[i] == RowState::ok ? 0 : 1;
                    const auto failed = runners[j]->run(batch.batch, scores);
                    for (const auto& image : failed) left_out[j][image.row] = 1;
                    for (std::size_t i = 0; i < batch.batch.n; ++i) {
                        const std::size_t item = first + i;
                        // The file has the original image, because it could not be attacked.
                        if (clean[item] == RowOutcome::correct &&
                            attacked[j][item] == RowOutcome::none)
                            left_out[j][item] = 1;
                        if (left_out[j][item] != 0) continue;
                        outcomes[j][item] =
                            outcome_of(*jobs_[j], std::span(scores).subspan(i * classes, classes),
                                       dataset_.single_label(item));
                    }
                    offer(j, clean, outcomes[j], *clean_scores, batch.batch, !failed.empty(),
                          scores, examples);
                }
                const std::scoped_lock lock(mutex);
                progress.done += batch.batch.n * jobs.size();
                if (callback) callback(progress);
            };
            parallel_blocks((dataset_.size() + size - 1) / size,
                            resolve_threads(options_.predict.threads), one_batch);
        }
        json made;
        for (std::size_t j = 0; j < jobs_.size(); ++j) {
            SavedAttack& own = saved[j];
            for (std::size_t i = 0; i < clean.size(); ++i) {
                own.images += left_out[j][i] == 0 ? 1 : 0;
                if (clean[i] != RowOutcome::correct) continue;
                const bool robust = outcomes[j][i] == RowOutcome::correct;
                own.robust += robust ? 1 : 0;
                own.lost += robust && attacked[j][i] != RowOutcome::correct ? 1 : 0;
            }
            made[jobs_[j]->variant] = {
                {"images", own.images}, {"robust", own.robust}, {"lost", own.lost}};
            write_file_atomically(folder_.path() / jobs_[j]->variant / "labels.csv",
                                  image_labels(dataset_, model_.spec.classes, names_, left_out[j]));
        }
        write_examples(examples, memory);
        settings_["made"] = made;
        folder_.finish(settings_);
    }
    const std::uint64_t correct = count_of(clean, RowOutcome::correct);
    const std::uint64_t all = correct + count_of(clean, RowOutcome::incorrect);
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
        saved[j].folder = folder_.final_path() / jobs_[j]->variant;
        saved[j].accuracy = wilson_proportion(saved[j].robust, all, options_.level,
                                              "no image has a label and a score");
    }
    return saved;
}

}  // namespace assay::attack
