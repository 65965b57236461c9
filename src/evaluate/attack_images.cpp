#include "evaluate/attack_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "assay/error.h"
#include "assay/image/image.h"
#include "core/file.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/statistics.h"
#include "data/image_names.h"

namespace assay::attack {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* images_record = "attack.json";

StringColumn names_of_files(const Dataset& dataset, ImageForm form) {
    using namespace std::string_view_literals;
    static constexpr std::array pngs = {".png"sv};
    static constexpr std::array arrays = {".npy"sv};
    return form == ImageForm::png ? image_names(dataset, ".png", pngs).names
                                  : image_names(dataset, ".npy", arrays).names;
}

json settings_of_images(const LoadedModel& model, const Dataset& dataset,
                        const AttackRunOptions& options,
                        const std::vector<std::string>& definitions) {
    json attacks = json::array();
    for (const std::string& definition : definitions) attacks.push_back(json::parse(definition));
    return {{"schema", "assay.attacked_images"},
            {"schema_version", 1},
            {"model", model.spec.name},
            {"model_hash", model.file_hash},
            {"form", name_of(options.image_form)},
            {"batch_size", options.predict.batch_size},
            {"attacks", attacks},
            {"dataset",
             {{"name", dataset.name},
              {"images", dataset.size()},
              {"fingerprint", dataset.ids_fingerprint()}}}};
}

}  // namespace

/// Images of the data set as the attacks got them.
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
      settings_(settings_of_images(model, dataset, options, definitions)),
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
    return {options_.image_form, shape_, model_.spec.preprocess.channel_order == ChannelOrder::bgr,
            job.options.norm, job.options.eps};
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

AttackImages::Batch AttackImages::load(std::uint64_t first, std::size_t n) const {
    Batch out;
    const std::size_t size = shape_.size();
    out.input.assign(n * size, 0);
    out.states.assign(n, RowState::ok);
    DecodeLimits limits;
    limits.pixels = options_.predict.max_pixels;
    limits.bytes = options_.predict.image_memory;
    const Preprocess preprocess = attacked_preprocess(model_.spec.preprocess, options_.space);
    for (std::size_t i = 0; i < n; ++i) {
        const auto own = std::span(out.input).subspan(i * size, size);
        try {
            preprocess_into(decode_image(read_file(dataset_.path_of(first + i)), limits),
                            preprocess, own);
        } catch (const Error& error) {
            if (error.code() == ErrorCode::interrupted) throw;
            std::ranges::fill(own, 0.0F);
            out.states[i] = RowState::unreadable;
        }
    }
    out.batch = {first, n, out.input, out.states};
    return out;
}

bool AttackImages::read_all(const AttackJob& job, const Batch& batch,
                            std::vector<float>& images) const {
    const std::size_t size = shape_.size();
    const AttackFile file = file_of(job);
    for (std::size_t i = 0; i < batch.batch.n; ++i) {
        if (batch.states[i] != RowState::ok) continue;
        const auto own = std::span(images).subspan(i * size, size);
        if (!file.read(path_of(job, batch.batch.first_row + i), own) ||
            !file.allows(batch.batch.input.subspan(i * size, size), own))
            return false;
    }
    return true;
}

void AttackImages::classify(const AttackJob& job, const std::shared_ptr<const CleanScores>& clean,
                            const Batch& batch, std::vector<RowOutcome>& outcomes) const {
    std::vector<float> images(batch.input.begin(), batch.input.end());
    if (!read_all(job, batch, images)) {
        // Of a run without images, or of one that was killed: the same attack gives the same bits.
        const AttackedImages made = BatchAttack(pixels_, clean, dataset_, job).run(batch.batch);
        write(job, batch.batch, made.images);
        if (!read_all(job, batch, images)) {
            throw Error(ErrorCode::internal,
                        fmt::format("{}: an image of the rows from {} on is not in its file as it "
                                    "was written, or not within the budget",
                                    job.variant, batch.batch.first_row));
        }
    }
    const std::size_t classes = pixels_->classes();
    std::vector<float> scores(batch.batch.n * classes);
    pixels_->scores(images, batch.batch.n, scores);
    for (std::size_t i = 0; i < batch.batch.n; ++i) {
        const auto item = static_cast<std::size_t>(batch.batch.first_row) + i;
        const std::int32_t label = dataset_.single_label(item);
        if (label < 0 || batch.states[i] != RowState::ok) continue;
        const auto row = std::span(scores).subspan(i * classes, classes);
        if (!std::ranges::all_of(row, [](float v) { return std::isfinite(v); })) continue;
        const auto best = std::max_element(row.begin(), row.end()) - row.begin();
        outcomes[item] = best == label ? RowOutcome::correct : RowOutcome::incorrect;
    }
}

std::vector<SavedAttack> AttackImages::finish(const std::vector<RowOutcome>& clean,
                                              std::span<const std::vector<RowOutcome>> attacked,
                                              std::uint32_t batch_size,
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
        std::vector<std::uint8_t> unreadable(dataset_.size(), 0);
        const auto clean_scores = std::make_shared<const CleanScores>(pixels_);
        std::mutex mutex;
        Progress progress;
        progress.total = dataset_.size() * jobs_.size();
        parallel_blocks((dataset_.size() + batch_size - 1) / batch_size,
                        resolve_threads(options_.predict.threads), [&](std::size_t block) {
                            throw_if_stopped();
                            const std::uint64_t first = std::uint64_t{block} * batch_size;
                            const Batch batch =
                                load(first,
                                     std::min<std::uint64_t>(batch_size, dataset_.size() - first));
                            for (std::size_t i = 0; i < batch.batch.n; ++i)
                                unreadable[first + i] = batch.states[i] == RowState::ok ? 0 : 1;
                            for (std::size_t j = 0; j < jobs_.size(); ++j)
                                classify(*jobs_[j], clean_scores, batch, outcomes[j]);
                            const std::scoped_lock lock(mutex);
                            progress.done += batch.batch.n * jobs_.size();
                            if (callback) callback(progress);
                        });
        json made;
        for (std::size_t j = 0; j < jobs_.size(); ++j) {
            SavedAttack& own = saved[j];
            for (std::size_t i = 0; i < clean.size(); ++i) {
                own.images += unreadable[i] == 0 ? 1 : 0;
                if (clean[i] != RowOutcome::correct) continue;
                const bool robust = outcomes[j][i] == RowOutcome::correct;
                own.robust += robust ? 1 : 0;
                own.lost += robust && attacked[j][i] != RowOutcome::correct ? 1 : 0;
            }
            made[jobs_[j]->variant] = {
                {"images", own.images}, {"robust", own.robust}, {"lost", own.lost}};
            write_file_atomically(folder_.path() / jobs_[j]->variant / "labels.csv",
                                  image_labels(dataset_, model_.spec.classes, names_, unreadable));
        }
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
