// A few images that fooled a classifier, next to the originals, for a person to look at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/data/dataset.h"
#include "assay/result_type.h"
#include "evaluate/attack_batch.h"
#include "evaluate/attack_files.h"

namespace assay::attack {

/// The predicted class of a row of scores, and the probability of this class.
struct Prediction {
    std::int32_t label = -1;
    double probability = 0;
};
/// `row` must be valid and must not be labels.
Prediction prediction_of(std::span<const float> row, ScoreKind kind);

/// The selected images: for each attack, up to `of_an_attack` that fooled the model, in the order
/// of the hashes of their ids. So attacks and budgets show the same images if possible, for any
/// order of the calls.
class AttackExamples {
public:
    static constexpr std::size_t of_an_attack = 12;

    explicit AttackExamples(std::size_t attacks) : attacks_(attacks) {}

    /// Offers an image that fooled the model. Thread-safe; the predictions are only requested if
    /// the image may be shown.
    void offer(std::size_t attack, std::uint64_t item, std::string_view id,
               const std::function<std::pair<Prediction, Prediction>()>& predictions);

    struct Fooled {
        std::string key;
        std::uint64_t item = 0;
        Prediction before, after;
    };
    struct OfAttack {
        std::uint64_t fooled = 0;
        std::vector<Fooled> shown;  ///< by key
    };
    const std::vector<OfAttack>& of_attacks() const { return attacks_; }

private:
    mutable std::mutex mutex_;
    std::vector<OfAttack> attacks_;
};

/// The name of the file in the folder of the images.
inline constexpr const char* examples_file = "examples.json";

/// The pictures of one example in [0, 1], as planes in the order of their files.
struct ExampleImages {
    std::vector<float> original, attacked;
};

struct ExampleClass {
    const ClassList* classes;
    std::int32_t number;
};
struct ExamplePrediction {
    ExampleClass of;
    double probability;
};
struct AttackExample {
    std::uint64_t item = 0;
    std::string id;
    ExampleClass label;
    ExamplePrediction before, after;
    std::filesystem::path original, attacked, difference;
    double scale = 1, largest = 0, length = 0;
};
struct ExamplesOfAttack {
    std::string attack;
    Norm norm = Norm::linf;
    double eps = 0;
    std::string eps_text, folder;
    std::uint64_t fooled = 0;
    std::vector<AttackExample> shown;
};
/// `assay.attack_examples/1`.
struct ExamplesFile {
    std::string model, model_hash, dataset, dataset_id;
    std::vector<ExamplesOfAttack> attacks;
};
ResultType result_type(ResultOf<ExamplesFile>);

/// Writes FOLDER/examples.json (assay.attack_examples/1) and its pictures. `images_of` returns the
/// images for an attack (by its place) and an item; `made` names the model and the data set. Throws
/// io.
void write_examples(
    const std::filesystem::path& folder, const AttackExamples& examples,
    std::span<const AttackJob* const> jobs, std::span<const AttackFile> files,
    const Dataset& dataset, const ClassList& classes, ExamplesFile made,
    const std::function<ExampleImages(std::size_t attack, std::uint64_t item)>& images_of);

}  // namespace assay::attack
