#include "evaluate/attack_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "core/file.h"
#include "core/half.h"
#include "core/json_text.h"
#include "core/paths.h"
#include "data/made_folder.h"
#include "data/name_hash.h"
#include "robustness/change.h"
#include "store/reduce.h"

namespace assay::attack {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* counts_folder = "counts";
constexpr double unfooled = std::numeric_limits<double>::quiet_NaN();

// A smallest change ends at the boundary. In another batch, the scores of its image differ by the
// rounding of floats, and the image may be on the other side. Its change then grows by this factor
// minus 1, up to 2^7 times as much.
constexpr double least_growth = 1e-4;
constexpr int most_growths = 8;
/// Halves round scores far more: up to 2^12 times as much, so that the change at most doubles.
constexpr int most_growths_in_halves = 13;

/// The outcome of scores in a store of this format. The store's first best class counts.
RowOutcome outcome_in(StorageFormat storage, ScoreKind kind, std::span<const float> row,
                      std::int32_t label) {
    if (label < 0 || !store::is_sound(row, kind, storage)) return RowOutcome::none;
    auto best = std::ranges::max_element(row);
    if (storage == StorageFormat::full_f16) {
        const auto stored = [](float score) { return float_from_half(half_from_float(score)); };
        best = std::ranges::find(row, stored(*best), stored);
    }
    return best - row.begin() == label ? RowOutcome::correct : RowOutcome::incorrect;
}

/// A number that no other caller gets.
std::uint64_t unique_number() {
    static std::atomic<std::uint64_t> made{0};
    return ++made;
}

/// Tells one batch of a thread from another. Another image replaces one that fails, which the
/// states show.
struct LastBatch {
    std::uint64_t number = 0, first_row = 0;
    std::vector<RowState> states;

    bool is(std::uint64_t of, const ImageBatch& batch) const {
        return number == of && first_row == batch.first_row &&
               std::ranges::equal(states, batch.states);
    }
    void set(std::uint64_t of, const ImageBatch& batch) {
        number = of;
        first_row = batch.first_row;
        states.assign(batch.states.begin(), batch.states.end());
    }
};

/// The counts of a batch, with their names in the file.
template <class Counts, class Use>
void for_each_count(Counts& c, Use&& use) {
    use("first_row", c.first_row);
    use("rows", c.rows);
    use("attacked", c.attacked);
    use("zero_gradients", c.zero_gradients);
    use("not_finite", c.not_finite);
    use("forward", c.forward);
    use("backward", c.backward);
}

/// Returns nothing if the file is damaged. This may happen after a system crash, because not every
/// batch syncs the file. The counts are then unknown, as without the file.
std::optional<AttackCounts> read_counts(const fs::path& file) {
    AttackCounts counts;
    try {
        const json read = json::parse(read_text(file, std::uint64_t{1} << 20));
        for_each_count(counts, [&](const char* name, std::uint64_t& number) {
            number = read.at(name).template get<std::uint64_t>();
        });
        counts.by = read.at("by").get<std::vector<std::uint64_t>>();
        if (const auto radii = read.find("radii"); radii != read.end()) {
            for (const json& radius : *radii)
                counts.radii.push_back(radius.is_null() ? unfooled : radius.get<double>());
        }
    } catch (const json::exception&) {
        return std::nullopt;
    } catch (const Error& error) {  // there is no file, or it is larger than any that is written
        if (error.code() != ErrorCode::bad_input) throw;
        return std::nullopt;
    }
    return counts;
}

void write_counts(const fs::path& store, const AttackCounts& counts) {
    json out = {{"by", counts.by}};
    if (!counts.radii.empty()) {
        json& radii = out["radii"] = json::array();
        for (const double radius : counts.radii)
            radii.push_back(std::isnan(radius) ? json() : json(radius));
    }
    for_each_count(counts,
                   [&](const char* name, const std::uint64_t& number) { out[name] = number; });
    make_folders(store / counts_folder);
    const std::string text = json_line(out) + "\n";
    write_renamed(store / counts_folder / fmt::format("{:012}.json", counts.first_row),
                  std::as_bytes(std::span(text)));
}

}  // namespace

RowOutcome outcome_of(const AttackJob& job, std::span<const float> row, std::int32_t label) {
    return outcome_in(job.storage, job.kind, row, label);
}

std::vector<AttackCounts> counts_of(const fs::path& store) {
    std::vector<AttackCounts> all;
    std::vector<fs::path> files;
    if (!is_there(store / counts_folder)) return all;
    for (const auto& entry : fs::directory_iterator(store / counts_folder)) {
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    std::uint64_t next = 0;
    for (const fs::path& file : files) {
        const std::optional<AttackCounts> read = read_counts(file);
        // This batch was halved because memory was short, and a later run computed it whole.
        if (!read || read->first_row < next) continue;
        next = read->first_row + read->rows;
        all.push_back(*read);
    }
    return all;
}

void add_counts(const std::vector<AttackCounts>& all, AttackCell& cell) {
    for (const AttackCounts& counts : all) {
        cell.attacked += counts.attacked;
        cell.zero_gradients += counts.zero_gradients;
        cell.not_finite += counts.not_finite;
        cell.forward += counts.forward;
        cell.backward += counts.backward;
        for (std::size_t part = 0; part < std::min(cell.by.size(), counts.by.size()); ++part)
            cell.by[part].second += counts.by[part];
    }
}

ImageBatch as_attacked(const ImageBatch& batch, const ImageShape& shape,
                       std::vector<float>& planes) {
    const std::size_t size = shape.size(),
                      given = batch.n == 0 ? size : batch.input.size() / batch.n;
    if (given == size) return batch;
    planes.resize(batch.n * size);
    for (std::size_t i = 0; i < batch.n; ++i)
        std::ranges::copy(batch.input.subspan(i * given, size),
                          planes.begin() + static_cast<std::ptrdiff_t>(i * size));
    ImageBatch seen = batch;
    seen.input = planes;
    return seen;
}

CleanScores::CleanScores(std::shared_ptr<AttackedModel> model)
    : model_(std::move(model)), number_(unique_number()) {}

std::span<const float> CleanScores::of(const ImageBatch& batch) const {
    thread_local LastBatch kept;
    thread_local std::vector<float> scores;
    if (!kept.is(number_, batch)) {
        kept.number = 0;
        scores.resize(batch.n * model_->classes());
        model_->scores(batch.input, batch.n, scores);
        kept.set(number_, batch);
    }
    return scores;
}

struct BatchAttack::Chosen {
    std::vector<std::size_t> places;
    std::vector<float> images;
    std::vector<std::uint32_t> labels;
    std::vector<std::uint64_t> items;
};

BatchAttack::BatchAttack(std::shared_ptr<AttackedModel> model,
                         std::shared_ptr<const CleanScores> clean, const Dataset& dataset,
                         const AttackJob& job, Keep keep)
    : model_(std::move(model)),
      clean_(std::move(clean)),
      dataset_(dataset),
      job_(job),
      keep_(std::move(keep)),
      number_(unique_number()) {}

const AttackedImages& BatchAttack::last(const ImageBatch& batch) const {
    thread_local LastBatch kept;
    thread_local AttackedImages made;
    if (!kept.is(number_, batch)) {
        kept.number = 0;
        made = run(batch);
        kept.set(number_, batch);
    }
    return made;
}

void BatchAttack::operator()(const ImageBatch& batch, std::span<float> out) const {
    std::vector<float> planes;
    const ImageBatch seen = as_attacked(batch, model_->shape(), planes);
    std::optional<AttackedImages> own;
    if (!shared_) own = run(seen);
    const AttackedImages& attacked = own ? *own : last(seen);
    std::copy(attacked.scores.begin(), attacked.scores.end(), out.begin());
    if (batch.unscored != nullptr) {
        for (const std::size_t place : attacked.unusable)
            batch.unscored->push_back({batch.first_row + place, std::string(no_gradient)});
    }
    if (keep_) keep_(seen, attacked.images);
    if (attacked.counts.attacked + attacked.counts.forward > 0)
        write_counts(job_.store, attacked.counts);
}

AttackedImages BatchAttack::run(const ImageBatch& batch) const {
    AttackedImages out;
    out.counts.first_row = batch.first_row;
    out.counts.rows = batch.n;
    out.attacked.assign(batch.n, 0);
    out.images.assign(batch.input.begin(), batch.input.end());
    const std::span<const float> before = clean_->of(batch);
    out.scores.assign(before.begin(), before.end());
    const Chosen chosen = correct_ones(batch, before);
    if (chosen.places.empty()) return out;
    const AttackBatch attacked = {chosen.images, chosen.labels, chosen.items};
    AttackOptions options = job_.options;
    // The scores below show the result of a single attack; in an ensemble, the next attack must
    // know it.
    options.verify = job_.parts.size() > 1;
    const EnsembleResult result = run_ensemble(job_.parts, *model_, attacked, options);
    const std::size_t size = batch.input.size() / batch.n;
    for (std::size_t k = 0; k < chosen.places.size(); ++k) {
        out.attacked[chosen.places[k]] = 1;
        if (result.result.unusable[k] != 0) {
            out.unusable.push_back(chosen.places[k]);
            continue;
        }
        std::copy_n(result.result.images.begin() + static_cast<std::ptrdiff_t>(k * size), size,
                    out.images.begin() + static_cast<std::ptrdiff_t>(chosen.places[k] * size));
    }
    // The stored scores are those of the model on the returned images, in this batch.
    model_->scores(out.images, batch.n, out.scores);
    AttackCounts& counts = out.counts;
    if (job_.smallest) add_radii(batch, chosen, result.result.fooled, out);
    counts.attacked = chosen.places.size() - out.unusable.size();
    counts.forward += result.result.forward;
    counts.backward = result.result.backward;
    const std::size_t classes = model_->classes();
    for (std::size_t k = 0; k < chosen.places.size(); ++k) {
        if (result.result.unusable[k] != 0) continue;  // this image has no score of its own
        counts.zero_gradients += result.result.zero_gradient[k];
        const auto row = std::span(out.scores).subspan(chosen.places[k] * classes, classes);
        const bool scored =
            outcome_of(job_, row, static_cast<std::int32_t>(chosen.labels[k])) != RowOutcome::none;
        counts.not_finite += !scored || result.result.not_finite[k] != 0 ? 1 : 0;
    }
    if (job_.parts.size() > 1) {
        counts.by.assign(job_.parts.size(), 0);
        for (const int by : result.by) {
            if (by >= 0) ++counts.by[static_cast<std::size_t>(by)];
        }
    }
    return out;
}

/// Measures the changes of the images that fool the model as they are stored. Scores that are not
/// finite fool it, too. If a store of halves keeps the label in spite of the growth, the scores
/// before they are rounded decide.
void BatchAttack::add_radii(const ImageBatch& batch, const Chosen& chosen,
                            std::span<const std::uint8_t> found, AttackedImages& out) const {
    const std::size_t size = batch.input.size() / batch.n, classes = model_->classes();
    const auto fooled = [&](std::size_t k, StorageFormat storage) {
        const std::size_t place = chosen.places[k];
        const auto row = std::span(out.scores).subspan(place * classes, classes);
        return outcome_in(storage, job_.kind, row, static_cast<std::int32_t>(chosen.labels[k])) !=
               RowOutcome::correct;
    };
    const int growths =
        job_.storage == StorageFormat::full_f16 ? most_growths_in_halves : most_growths;
    for (int t = 0; t < growths; ++t) {
        const auto factor = static_cast<float>(1 + least_growth * static_cast<double>(1 << t));
        bool any = false;
        for (std::size_t k = 0; k < chosen.places.size(); ++k) {
            if (found[k] == 0 || fooled(k, job_.storage)) continue;
            any = true;
            const std::size_t first = chosen.places[k] * size;
            for (std::size_t i = first; i < first + size; ++i) {
                const float from = batch.input[i];
                out.images[i] = std::clamp(from + (out.images[i] - from) * factor, 0.0F, 1.0F);
            }
        }
        if (!any) break;
        model_->scores(out.images, batch.n, out.scores);
        out.counts.forward += batch.n;
    }
    out.counts.radii.assign(batch.n, unfooled);
    for (std::size_t k = 0; k < chosen.places.size(); ++k) {
        const std::size_t place = chosen.places[k];
        if (found[k] == 0 || (!fooled(k, job_.storage) && !fooled(k, StorageFormat::full_f32)))
            continue;
        out.counts.radii[place] =
            size_of_change(job_.options.norm, batch.input.subspan(place * size, size),
                           std::span<const float>(out.images).subspan(place * size, size));
    }
}

BatchAttack::Chosen BatchAttack::correct_ones(const ImageBatch& batch,
                                              std::span<const float> scores) const {
    Chosen chosen;
    const std::size_t classes = model_->classes();
    const std::size_t size = batch.input.size() / batch.n;
    for (std::size_t i = 0; i < batch.n; ++i) {
        const auto item = static_cast<std::size_t>(batch.first_row) + i;
        const std::int32_t label = dataset_.single_label(item);
        if (batch.states[i] != RowState::ok ||
            outcome_of(job_, scores.subspan(i * classes, classes), label) != RowOutcome::correct)
            continue;
        chosen.places.push_back(i);
        const auto image = batch.input.subspan(i * size, size);
        chosen.images.insert(chosen.images.end(), image.begin(), image.end());
        chosen.labels.push_back(static_cast<std::uint32_t>(label));
        // Uses the id, so that a sample of a data set has the same draws as the whole.
        chosen.items.push_back(name_hash(dataset_.ids[item]).first);
    }
    return chosen;
}

}  // namespace assay::attack
