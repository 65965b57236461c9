// Stores of a few images by simulated classifiers, for competitions in tests.
#pragma once

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/store/prediction_store.h"
#include "core/hash.h"

namespace assay::mad {

/// The prediction of a classifier for an image. Without a label, the image has no scores.
struct MadePrediction {
    int label = -1;
    double probability = 0;
};

/// A hierarchy: cat and dog are animals, car and bus are things, and both have the same root.
inline std::string small_hierarchy() {
    return "child,parent\nanimal,root\nthing,root\ncat,animal\ndog,animal\ncar,thing\nbus,thing\n";
}

inline Dataset small_images(std::size_t images) {
    Dataset dataset;
    dataset.name = "pool";
    for (std::size_t i = 0; i < images; ++i) {
        dataset.ids.append(fmt::format("images/{:05}.png", i));
        dataset.labels.append({});
    }
    dataset.classes = ClassList({"cat", "dog", "car", "bus"});
    return dataset;
}

/// A store RUNS/pool/NAME, by default for small_images() and its four classes.
inline std::filesystem::path write_small_store(const std::filesystem::path& runs,
                                               const std::string& name,
                                               const std::vector<MadePrediction>& predictions,
                                               const Dataset* images = nullptr) {
    const Dataset made = small_images(predictions.size());
    const Dataset& dataset = images == nullptr ? made : *images;
    StoreSpec spec;
    spec.dataset_name = dataset.name;
    spec.model_name = name;
    spec.rows = predictions.size();
    spec.classes = static_cast<std::uint32_t>(dataset.classes.size());
    spec.kind = ScoreKind::probabilities;
    spec.storage = StorageFormat::label;
    spec.shard_rows = 1000;
    // A classifier that is different if any prediction differs.
    std::string all = name;
    for (const MadePrediction& one : predictions)
        all += fmt::format(" {} {}", one.label, one.probability);
    spec.model_hash = hash_text(all);
    spec.provenance_json = R"({"command":"assay import"})";
    StoreWriter writer = StoreWriter::open(runs, spec, dataset);
    for (std::size_t shard = 0; shard < writer.shards(); ++shard) {
        std::vector<TopEntry> entries;
        std::vector<RowState> states;
        std::vector<RowError> errors;
        for (std::uint32_t r = 0; r < writer.rows_in(shard); ++r) {
            const std::uint64_t row = writer.first_row(shard) + r;
            const MadePrediction& one = predictions[row];
            entries.push_back({one.label < 0 ? 0 : one.label, static_cast<float>(one.probability)});
            states.push_back(one.label < 0 ? RowState::unreadable : RowState::ok);
            if (one.label < 0) errors.push_back({row, RowState::unreadable, "cut off"});
        }
        writer.write_entries(shard, entries, states, errors, "");
    }
    const std::filesystem::path folder = writer.folder();
    writer.finish();
    return folder;
}

}  // namespace assay::mad
