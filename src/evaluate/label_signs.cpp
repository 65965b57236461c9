#include "evaluate/label_signs.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "assay/store/row_reader.h"
#include "core/json_limits.h"
#include "core/shell_word.h"
#include "core/statistics.h"

namespace assay::evaluate {
namespace {

constexpr std::uint64_t most_sign_rows = 2048;
constexpr double sign_level = 0.001;  // level of each sign: a command scores many stores
constexpr double low_accuracy = 0.5;

struct LabelCounts {
    std::uint64_t images = 0, correct = 0;
    std::uint64_t after = 0, before = 0;  ///< number predicted as the class after, or before, their
                                          ///< label
    double confidence = 0;                ///< sum
};

LabelCounts count_labels(const PredictionStore& store) {
    const RowReader reader(store);
    const Dataset& dataset = store.dataset();
    const std::uint64_t step =
        std::max<std::uint64_t>((store.rows() + most_sign_rows - 1) / most_sign_rows, 1);
    LabelCounts counts;
    for (std::uint64_t row = 0; row < store.rows(); row += step) {
        const std::int32_t label = dataset.single_label(static_cast<std::size_t>(row));
        RowPrediction p;
        if (label < 0 || reader.read(row, -1, {}, p) != RowStatus::ok) continue;
        ++counts.images;
        counts.correct += p.predicted == label ? 1 : 0;
        counts.after += p.predicted == label + 1 ? 1 : 0;
        counts.before += p.predicted == label - 1 ? 1 : 0;
        if (reader.has_probabilities()) counts.confidence += static_cast<double>(p.confidence);
    }
    return counts;
}

const Measurement* top1_of(const ScoreReport& report) {
    const auto found = std::ranges::find_if(report.measurements, [](const Measurement& m) {
        return m.key.metric == "top1" && m.key.subgroup.empty() && m.value;
    });
    return found == report.measurements.end() ? nullptr : &*found;
}

std::string text_in(const nlohmann::json& object, const char* key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The command `assay check` for the model's file and the images, if both are known.
std::string closer_look(const PredictionStore& store) {
    constexpr int deepest = 64;
    const std::string& provenance = store.spec().provenance_json;
    const auto made = provenance.empty() ? nlohmann::json() : parse_json(provenance, deepest);
    const auto model =
        made.is_object() && made.contains("model") ? made["model"] : nlohmann::json();
    const std::string file = text_in(model, "path"), root = store.dataset().root.string();
    if (file.empty() || root.empty()) {
        return fmt::format("assay score {} --per-class --confusion",
                           shell_word(store.folder().string()));
    }
    const std::string preset = text_in(model, "sidecar").empty() ? text_in(model, "preset") : "";
    return fmt::format("assay check -m {} -d {}{}", shell_word(file), shell_word(root),
                       preset.empty() ? "" : " --preset " + shell_word(preset));
}

std::string part_of_images(std::uint64_t part, std::uint64_t whole) {
    return fmt::format("{} of {} ({:.2g} %)", part, whole,
                       100 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

std::vector<std::string> label_signs(const ScoreReport& report, const PredictionStore& store) {
    const Measurement* accuracy = top1_of(report);
    const std::size_t classes = report.per_class.size();
    if (accuracy == nullptr || *accuracy->value >= low_accuracy || classes < 2 ||
        report.derived.is_apart() || !report.map.empty())
        return {};
    const LabelCounts counts = count_labels(store);
    if (counts.images == 0) return {};
    // Each bound is one-sided.
    const Interval bounds = clopper_pearson(counts.correct, counts.images, 1 - 2 * sign_level);
    const double chance = 1.0 / static_cast<double>(classes);
    const double confidence = counts.confidence / static_cast<double>(counts.images);
    const std::string command = closer_look(store);
    // A class before the first or after the last one is never predicted.
    const std::uint64_t shifted = std::max(counts.after, counts.before);
    // Neighboring classes may look alike, but so many errors would then not all be on one side.
    if (classes > 2 && shifted > counts.correct && 5 * shifted >= counts.images &&
        mcnemar(shifted, counts.correct).p <= sign_level / 2) {
        return {
            fmt::format("the labels look off by one: for {} images the class {} their label is "
                        "predicted, for {} their label (exact test, level {}); type `{}`",
                        part_of_images(shifted, counts.images),
                        counts.after > counts.before ? "after" : "before", counts.correct,
                        sign_level, command)};
    }
    if (bounds.high < chance) {
        return {fmt::format(
            "the accuracy, {}, is below chance, {:.3g} % (exact test, level {}): the labels or the "
            "order of the classes may be wrong; type `{}`",
            part_of_images(counts.correct, counts.images), 100 * chance, sign_level, command)};
    }
    if (bounds.low <= chance && bounds.high < confidence / 2) {
        return {fmt::format(
            "the accuracy, {}, is no better than chance, at a mean confidence of {:.3g} % (exact "
            "test, level {}): the labels may be permuted; type `{}`",
            part_of_images(counts.correct, counts.images), 100 * confidence, sign_level, command)};
    }
    return {};
}

}  // namespace assay::evaluate
