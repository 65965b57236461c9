#include "evaluate/attack_examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "assay/describe_result.h"
#include "assay/image/encode.h"
#include "core/hash.h"
#include "core/json_text.h"
#include "core/paths.h"
#include "core/softmax.h"
#include "data/made_folder.h"

namespace assay::attack {
namespace {

namespace fs = std::filesystem;

/// The difference between two images, element by element.
struct Change {
    double largest = 0, length = 0;
    /// The factor for a change with which its largest element reaches black or white.
    double scale() const { return largest > 0 ? 0.5 / largest : 1; }
};

Change change_of(const ExampleImages& images) {
    Change change;
    for (std::size_t k = 0; k < images.original.size(); ++k) {
        const double moved =
            static_cast<double>(images.attacked[k]) - static_cast<double>(images.original[k]);
        change.largest = std::max(change.largest, std::abs(moved));
        change.length += moved * moved;
    }
    change.length = std::sqrt(change.length);
    return change;
}

/// Gray means no change. Encodes the values like those of an image with an unlimited
/// budget.
std::vector<std::byte> difference_png(const AttackFile& file, const ExampleImages& images,
                                      double scale) {
    std::vector<float> shown(images.original.size());
    for (std::size_t k = 0; k < shown.size(); ++k) {
        const double moved =
            static_cast<double>(images.attacked[k]) - static_cast<double>(images.original[k]);
        shown[k] = static_cast<float>(0.5 + scale * moved);
    }
    AttackFile free = file;
    free.eps = 1;
    free.norm = Norm::linf;
    return free.encoded(shown, shown);
}

}  // namespace

/// NaN and infinity become null in a file.
std::optional<double> or_null(double value) {
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

ResultType result_type(ResultOf<ExampleClass>) {
    static constexpr auto known = [](const ExampleClass& c) {
        return static_cast<std::size_t>(c.number) < c.classes->size();
    };
    static constexpr auto rows = describe_result<ExampleClass>(
        {.name = "ExampleClass"},
        {
            part<&ExampleClass::number>({.name = "class"}),
            part({.name = "id", .omitted = true},
                 [](const ExampleClass& c) {
                     return known(c)
                                ? std::optional(c.classes->id(static_cast<std::size_t>(c.number)))
                                : std::nullopt;
                 }),
            part({.name = "name", .omitted = true},
                 [](const ExampleClass& c) {
                     return known(c)
                                ? std::optional(c.classes->name(static_cast<std::size_t>(c.number)))
                                : std::nullopt;
                 }),
        });
    return rows;
}

ResultType result_type(ResultOf<ExamplePrediction>) {
    static constexpr auto rows = describe_result<ExamplePrediction>(
        {.name = "ExamplePrediction"},
        {
            part<&ExamplePrediction::of>({.inlined = true}),
            part({.help = "Null if the model returns neither logits nor probabilities",
                  .name = "probability"},
                 [](const ExamplePrediction& p) { return or_null(p.probability); }),
        });
    return rows;
}

ResultType result_type(ResultOf<AttackExample>) {
    static constexpr auto rows = describe_result<AttackExample>(
        {.name = "AttackExample", .help = "Paths of pictures are relative to the file's folder"},
        {
            part<&AttackExample::item>({}),
            part<&AttackExample::id>({}),
            part<&AttackExample::label>({}),
            part<&AttackExample::before>({}),
            part<&AttackExample::after>({}),
            part<&AttackExample::original>({}),
            part<&AttackExample::attacked>({}),
            part<&AttackExample::difference>(
                {.help = "0.5 + scale x (attacked - original): grey is no change"}),
            part({.name = "scale"}, [](const AttackExample& e) { return or_null(e.scale); }),
            part({.help = "Largest change of a pixel value, in [0, 1]", .name = "largest"},
                 [](const AttackExample& e) { return or_null(e.largest); }),
            part({.help = "The l2 norm of the change", .name = "length"},
                 [](const AttackExample& e) { return or_null(e.length); }),
        });
    return rows;
}

ResultType result_type(ResultOf<ExamplesOfAttack>) {
    static constexpr auto rows = describe_result<ExamplesOfAttack>(
        {.name = "ExamplesOfAttack"},
        {
            part<&ExamplesOfAttack::attack>({}),
            part<&ExamplesOfAttack::norm>({}),
            part<&ExamplesOfAttack::eps>({}),
            part<&ExamplesOfAttack::eps_text>({.help = "Such as `1/255`"}),
            part<&ExamplesOfAttack::folder>({}),
            part<&ExamplesOfAttack::fooled>(
                {.help = "Images classified correctly before, and incorrectly from their files"}),
            part<&ExamplesOfAttack::shown>({}),
        });
    return rows;
}

ResultType result_type(ResultOf<ExamplesFile>) {
    static constexpr auto rows = describe_result<ExamplesFile>(
        {.name = "AttackExamples",
         .help = "Images that fooled a classifier, with the originals",
         .schema = "assay.attack_examples/1"},
        {
            part<&ExamplesFile::model>({}),
            part<&ExamplesFile::model_hash>({}),
            part<&ExamplesFile::dataset>({}),
            part<&ExamplesFile::dataset_id>({}),
            part<&ExamplesFile::attacks>({}),
        });
    return rows;
}

Prediction prediction_of(std::span<const float> row, ScoreKind kind) {
    const RowScan scan = scan_row(row, -1);
    if (kind == ScoreKind::probabilities) return {scan.argmax, static_cast<double>(scan.max)};
    return {scan.argmax, 1 / exp_sums(row, scan.max).sum};
}

void AttackExamples::offer(std::size_t attack, std::uint64_t item, std::string_view id,
                           const std::function<std::pair<Prediction, Prediction>()>& predictions) {
    const std::string key = hash_text(id);
    std::vector<Fooled>& shown = attacks_[attack].shown;
    {
        const std::scoped_lock lock(mutex_);
        attacks_[attack].fooled += 1;
        if (shown.size() == of_an_attack && shown.back().key < key) return;
    }
    const auto [before, after] = predictions();
    const std::scoped_lock lock(mutex_);
    const auto place =
        std::upper_bound(shown.begin(), shown.end(), key,
                         [](const std::string& text, const Fooled& one) { return text < one.key; });
    shown.insert(place, {key, item, before, after});
    if (shown.size() > of_an_attack) shown.pop_back();
}

void write_examples(
    const fs::path& folder, const AttackExamples& examples, std::span<const AttackJob* const> jobs,
    std::span<const AttackFile> files, const Dataset& dataset, const ClassList& classes,
    ExamplesFile made,
    const std::function<ExampleImages(std::size_t attack, std::uint64_t item)>& images_of) {
    const fs::path own = "examples";
    make_folders(folder / own);
    for (std::size_t j = 0; j < jobs.size(); ++j) {
        const AttackJob& job = *jobs[j];
        AttackFile file = files[j];
        file.form = ImageForm::png;
        make_folders(folder / own / job.variant);
        ExamplesOfAttack& attack = made.attacks.emplace_back();
        attack = {.attack = job.attack,
                  .norm = job.options.norm,
                  .eps = job.options.eps,
                  .eps_text = job.smallest ? "the smallest change"
                                           : budget_text(job.options.eps, job.options.norm),
                  .folder = job.variant,
                  .fooled = examples.of_attacks()[j].fooled,
                  .shown = {}};
        for (const AttackExamples::Fooled& one : examples.of_attacks()[j].shown) {
            const ExampleImages images = images_of(j, one.item);
            const Change change = change_of(images);
            const fs::path original = own / fmt::format("{}.png", one.item);
            const fs::path attacked = own / job.variant / fmt::format("{}.png", one.item);
            const fs::path difference =
                own / job.variant / fmt::format("{}-difference.png", one.item);
            write_renamed(folder / original, file.encoded(images.original, images.original));
            write_renamed(folder / attacked, file.encoded(images.original, images.attacked));
            write_renamed(folder / difference, difference_png(file, images, change.scale()));
            attack.shown.push_back(
                {.item = one.item,
                 .id = std::string(dataset.ids[one.item]),
                 .label = {&classes, dataset.single_label(one.item)},
                 .before = {{&classes, one.before.label}, one.before.probability},
                 .after = {{&classes, one.after.label}, one.after.probability},
                 .original = original,
                 .attacked = attacked,
                 .difference = difference,
                 .scale = change.scale(),
                 .largest = change.largest,
                 .length = change.length});
        }
    }
    write_file_atomically(folder / examples_file, json_text(json_of(made)));
}

}  // namespace assay::attack
