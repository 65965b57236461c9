// Simulated scores, saved as a store, for the tests of score and compare.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "assay/collective/comm.h"
#include "assay/evaluate/compare.h"
#include "assay/evaluate/score.h"
#include "assay/store/prediction_store.h"
#include "core/random.h"
#include "scratch.h"

namespace assay {

struct Made {
    std::size_t classes = 3;
    std::vector<float> scores;                          ///< row-major
    std::vector<std::vector<std::int32_t>> labels;      ///< one set per row
    std::vector<RowState> states = {};                  ///< empty if all are ok
    std::vector<std::string> ids = {};                  ///< empty for item00000, ...
    std::vector<std::string> group = {};                ///< attribute "group", or empty for none
    std::vector<std::string> shape = {}, texture = {};  ///< another attribute, or empty for none
    std::vector<std::string> foreground = {};           ///< another attribute, or empty for none
    ScoreKind kind = ScoreKind::logits;
    std::vector<std::string> class_ids = {};  ///< empty for c0, c1, ...
    std::string dataset = "val";
    std::string images = "";  ///< hash of each shard's images
    std::string provenance = "{}";
    std::vector<std::string> severity = {};  ///< attribute "severity", or empty for none
    std::filesystem::path root = {};         ///< hashes of the images
    std::vector<ImageFile> files = {};       ///< one per row, or empty if not known
    bool named = true;                       ///< whether classes have names
    std::size_t rows() const { return labels.size(); }
};

inline Dataset dataset_of(const Made& made) {
    Dataset dataset;
    dataset.name = made.dataset;
    std::vector<std::string> ids = made.class_ids;
    for (std::size_t c = ids.size(); c < made.classes; ++c) ids.push_back(fmt::format("c{}", c));
    if (made.named) dataset.classes = ClassList(ids);
    for (std::size_t i = 0; i < made.rows(); ++i) {
        dataset.ids.append(made.ids.empty() ? fmt::format("item{:05}", i) : made.ids[i]);
        dataset.labels.append(made.labels[i]);
    }
    const auto add = [&](const char* name, const std::vector<std::string>& values) {
        if (values.empty()) return;
        Dataset::Attribute attribute{name, {}};
        for (const auto& value : values) attribute.values.append(value);
        dataset.attributes.push_back(attribute);
    };
    add("group", made.group);
    add("shape", made.shape);
    add("texture", made.texture);
    add("foreground", made.foreground);
    add("severity", made.severity);
    dataset.root = made.root;
    return dataset;
}

/// `but_last`: the last shard is missing, as if the writer was killed.
inline PredictionStore save(const Scratch& folder, const Made& made, const std::string& model,
                            StorageFormat storage = StorageFormat::full_f32,
                            std::uint32_t shard_rows = 100, bool but_last = false,
                            const std::string& runs = "runs", std::uint32_t top_k = 2) {
    const Dataset dataset = dataset_of(made);
    StoreSpec spec;
    spec.dataset_name = made.dataset;
    spec.model_name = model;
    spec.rows = made.rows();
    spec.classes = static_cast<std::uint32_t>(made.classes);
    spec.kind = made.kind;
    spec.storage = storage;
    spec.top_k = storage == StorageFormat::top_k ? top_k : 0;
    spec.shard_rows = shard_rows;
    spec.ids_hash = dataset.ids_fingerprint();
    spec.model_hash = "xxh128:00000000000000000000000000000001";
    spec.provenance_json = made.provenance;
    StoreWriter writer = StoreWriter::open(folder / runs, spec, dataset);
    for (std::size_t s = 0; s < writer.shards() - (but_last ? 1 : 0); ++s) {
        const auto first = static_cast<std::size_t>(writer.first_row(s)),
                   n = std::size_t{writer.rows_in(s)};
        std::vector<RowState> states(n, RowState::ok);
        std::vector<RowError> errors;
        for (std::size_t i = 0; i < n && !made.states.empty(); ++i) {
            states[i] = made.states[first + i];
            if (states[i] == RowState::ok) continue;
            errors.push_back(
                {first + i, states[i],
                 states[i] == RowState::not_finite ? "the score of class 0 is nan" : "made up"});
        }
        writer.write_shard(
            s, std::span(made.scores).subspan(first * made.classes, n * made.classes), states,
            errors, made.images,
            std::span(made.files)
                .subspan(made.files.empty() ? 0 : first, made.files.empty() ? 0 : n));
    }
    if (!but_last) writer.finish();
    return PredictionStore::open(folder.path() / runs / made.dataset / model);
}

/// Logits whose argmax is correct for a proportion of about `skill`.
inline Made made_up(std::size_t rows, std::size_t classes, std::uint64_t seed, double skill = 2) {
    Made made;
    made.classes = classes;
    RandomStream random(seed, "scores");
    for (std::size_t i = 0; i < rows; ++i) {
        const auto label = static_cast<std::int32_t>(
            i * classes / std::max<std::size_t>(rows, 1));  // in class order, like folders
        made.labels.push_back({label});
        for (std::size_t c = 0; c < classes; ++c) {
            made.scores.push_back(static_cast<float>(
                random.normal() + (static_cast<std::int32_t>(c) == label ? skill : 0)));
        }
    }
    return made;
}

/// A metric by its name, for tests over all metrics. The kind of scores is given, because a few
/// simulated scores may fit both softmax and sigmoid.
inline MetricRequest request_of(std::string_view name) {
    MetricRequest request = parse_metric(name);
    for (const ParameterFacts& p : request.facts->parameters) {
        std::string& value = request.parameters.at(std::string(p.name));
        if (value == by_what_scores_tell)
            value = *std::ranges::find_if(
                p.allowed, [](std::string_view one) { return one != by_what_scores_tell; });
    }
    return request;
}

inline const Measurement& find(const std::vector<Measurement>& list, std::string_view metric,
                               std::string_view definition = "", std::string_view subgroup = "") {
    for (const auto& m : list) {
        if (m.key.metric == metric && m.key.subgroup == subgroup &&
            (definition.empty() || m.key.definition == definition))
            return m;
    }
    throw std::runtime_error("no measurement " + std::string(metric) + " " +
                             std::string(definition));
}

inline ScoreReport scored(const PredictionStore& store, const ScoreOptions& options = {}) {
    return score_store(store, options, *self_comm());
}

inline PairReport compared(const PredictionStore& baseline, const PredictionStore& candidate,
                           const CompareOptions& options = {}) {
    const PredictionStore* candidates[] = {&candidate};
    return compare_stores(baseline, candidates, options, *self_comm()).at(0);
}

}  // namespace assay
