// Stores of simulated classifiers on every data set for the nine dimensions.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/quality/measure.h"
#include "assay/robustness/corruption.h"
#include "core/random.h"
#include "evaluate/saved_scores.h"

namespace assay::quality {

/// The predictions of one classifier on one data set, and the true labels.
struct WorldSet {
    std::vector<int> truth, predicted;
    std::vector<std::string> ids;
    std::vector<std::string> shape = {}, texture = {}, foreground = {};

    bool hit(std::size_t i) const { return truth[i] == predicted[i]; }
    double accuracy() const {
        double hits = 0;
        for (std::size_t i = 0; i < truth.size(); ++i) hits += hit(i) ? 1 : 0;
        return hits / static_cast<double>(truth.size());
    }
};

inline constexpr std::size_t world_classes = 5;

/// Writes a store with these predictions. `sure` is the margin for each image, or 3 if empty.
inline void save_world_set(const Scratch& scratch, const std::string& dataset,
                           const std::string& model, const WorldSet& set,
                           const std::vector<float>& sure = {}, bool but_last = false,
                           std::vector<RowState> states = {}) {
    Made made;
    made.dataset = dataset;
    made.classes = world_classes;
    made.ids = set.ids;
    made.shape = set.shape;
    made.texture = set.texture;
    made.foreground = set.foreground;
    made.states = std::move(states);
    for (std::size_t i = 0; i < set.truth.size(); ++i) {
        made.labels.push_back({set.truth[i]});
        for (int c = 0; c < static_cast<int>(world_classes); ++c) {
            const float top = sure.empty() ? 3.0F : sure[i];
            made.scores.push_back(c == set.predicted[i] ? top
                                                        : -.01F * static_cast<float>((c + i) % 5));
        }
    }
    save(scratch, made, model, StorageFormat::full_f32, 100, but_last);
}

/// Labels in class order. Predictions are correct with probability `skill`. With the same `hard`,
/// images are equally hard for every classifier.
inline WorldSet world_set(std::size_t n, double skill, std::uint64_t seed, std::uint64_t hard = 7) {
    WorldSet set;
    RandomStream own(seed, "own");
    RandomStream shared(hard, "shared");
    for (std::size_t i = 0; i < n; ++i) {
        const int truth = static_cast<int>(i * world_classes / n);
        // Half of the random numbers are common to all classifiers on the image.
        const double ours = own.uniform(), images = shared.uniform();
        const bool hit = (own.uniform() < .5 ? ours : images) < skill;
        const int wrong = (truth + 1 + static_cast<int>(own.below(world_classes - 1))) % 5;
        set.truth.push_back(truth);
        set.predicted.push_back(hit ? truth : wrong);
        set.ids.push_back(fmt::format("c{}/{:04}.png", truth, i));
    }
    return set;
}

/// The same images under a change. Correct images remain correct with probability `kept`.
inline WorldSet attacked_set(WorldSet set, double kept, std::uint64_t seed) {
    RandomStream random(seed, "kept");
    for (std::size_t i = 0; i < set.truth.size(); ++i) {
        if (set.hit(i) && random.uniform() >= kept) set.predicted[i] = (set.truth[i] + 1) % 5;
    }
    return set;
}

/// Three images for each pair of a shape and a texture. The prediction follows the shape with
/// probability `shape`, and the texture with `texture`.
inline WorldSet cue_set(double shape, double texture, std::uint64_t seed) {
    WorldSet set;
    RandomStream random(seed, "cues");
    for (int s = 0; s < 5; ++s) {
        for (int t = 0; t < 5; ++t) {
            for (int k = 0; k < 3; ++k) {
                const double u = random.uniform();
                int third = 0;
                while (third == s || third == t) ++third;
                set.truth.push_back(s);
                set.predicted.push_back(u < shape ? s : u < shape + texture ? t : third);
                set.shape.push_back(fmt::format("c{}", s));
                set.texture.push_back(fmt::format("c{}", t));
                // There are nine images for each shape and for each texture.
                set.ids.push_back(
                    fmt::format("c{}/c{}{}-c{}{}.png", s, s, (t + k) % 3 + 1, t, k + 1));
            }
        }
    }
    return set;
}

/// Two classifiers, and all data sets with their predictions.
struct World {
    Scratch scratch;
    std::map<std::string, std::map<std::string, WorldSet>> sets;  ///< stores by data set
    std::map<std::string, std::vector<float>> sure;               ///< predictions on val, by model

    void put(const std::string& dataset, const std::string& store, WorldSet set) {
        save_world_set(scratch, dataset, store, set);
        sets[dataset][store] = std::move(set);
    }
    void put_val(const std::string& model, double skill, std::uint64_t seed, std::size_t n = 300) {
        WorldSet set = world_set(n, skill, seed);
        RandomStream random(seed, "sure");
        std::vector<float>& own = sure[model];
        for (std::size_t i = 0; i < n; ++i)
            own.push_back(static_cast<float>(.5 + 3 * random.uniform()));
        save_world_set(scratch, "val", model, set, own);
        sets["val"][model] = std::move(set);
    }
    void put_attacks(const std::string& model, double fgsm, double pgd, std::uint64_t seed) {
        const WorldSet& clean = sets.at("val").at(model);
        put("val", model + "@fgsm-linf-8_255", attacked_set(clean, fgsm, seed));
        put("val", model + "@pgd-linf-8_255", attacked_set(clean, pgd, seed + 1));
    }
    void put_corruptions(const std::string& model, std::uint64_t seed,
                         const std::string& frost = "frost_synthetic") {
        for (const Corruption& c : corruptions()) {
            if (c.extra && c.name != frost) continue;
            if (c.name == "frost" && frost != "frost") continue;
            for (int severity = 1; severity <= 5; ++severity) {
                put(fmt::format("val_{}_{}", c.name, severity), model,
                    attacked_set(sets.at("val").at(model), 1 - .12 * severity, seed++));
            }
        }
    }
    void put_all(const std::string& model, double skill, std::uint64_t seed) {
        put_val(model, skill, seed);
        put_attacks(model, .6, .4, seed + 10);
        put("r", model, world_set(120, .7 * skill, seed + 20, 21));
        put("sketch", model, world_set(90, .6 * skill, seed + 30, 22));
        put("stylized", model, world_set(110, .8 * skill, seed + 40, 23));
        put("edges", model, world_set(60, .4 * skill, seed + 50, 24));
        put("outlines", model, world_set(70, .5 * skill, seed + 60, 25));
        put("same", model, world_set(150, skill, seed + 70, 26));
        put("rand", model, world_set(150, .7 * skill, seed + 80, 27));
        put("cues", model, cue_set(.3, .4, seed + 90));
    }

    MeasureQualityOptions options() const {
        return {.runs = scratch / "runs",
                .data = {{Role::val, "val"},
                         {Role::r, "r"},
                         {Role::sketch, "sketch"},
                         {Role::stylized, "stylized"},
                         {Role::edge, "edges"},
                         {Role::silhouette, "outlines"},
                         {Role::mixed_same, "same"},
                         {Role::mixed_rand, "rand"},
                         {Role::cue_conflict, "cues"}},
                .null_draws = 0,
                .threads = 1};
    }
};

inline MeasuredQuality measured(const MeasureQualityOptions& options) {
    return measure_quality(options, *self_comm());
}
inline const QualityCell& cell_of(const MeasuredQuality& quality, Dimension d,
                                  std::size_t model = 0) {
    return quality.table.models.at(model).cell(d);
}
inline const Estimate& value_of(const MeasuredQuality& quality, Dimension d,
                                std::size_t model = 0) {
    return quality.models.at(model).values[static_cast<std::size_t>(d)];
}
inline const QualityPart& part_named(const MeasuredQuality& quality, std::string_view name,
                                     std::size_t model = 0) {
    for (const QualityPart& part : quality.models.at(model).parts) {
        if (part.name == name) return part;
    }
    throw std::runtime_error("no part " + std::string(name));
}

}  // namespace assay::quality
