// Simulated data sets and scores for the tests of the store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assay/data/dataset.h"
#include "assay/error.h"
#include "assay/store/prediction_store.h"
#include "assay/store/row_reader.h"
#include "core/hash.h"

namespace assay {

inline Dataset made_up_dataset(std::size_t rows, const std::string& prefix = "item") {
    Dataset dataset;
    dataset.name = "val";
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < rows; ++i) {
        dataset.ids.append(fmt::format("{}{:05}", prefix, i));
        const auto label = static_cast<std::int32_t>(i % 5);
        dataset.labels.append(std::span(&label, 1));
    }
    dataset.classes = ClassList({"c0", "c1", "c2", "c3", "c4", "c5", "c6"});
    return dataset;
}

inline StoreSpec made_up_spec(std::uint64_t rows, StorageFormat storage = StorageFormat::full_f32) {
    StoreSpec spec;
    spec.dataset_name = "val";
    spec.model_name = "net";
    spec.rows = rows;
    spec.classes = 7;
    spec.storage = storage;
    spec.top_k = storage == StorageFormat::top_k ? 3 : 0;
    spec.shard_rows = 10;
    spec.batch_size = 5;
    spec.model_hash = "xxh128:00000000000000000000000000000001";
    spec.preprocess_hash = "xxh128:00000000000000000000000000000002";
    spec.provenance_json = R"({"command":"assay predict"})";
    return spec;
}

/// A multiple of 1/8 between -16 and 16, which half precision represents exactly.
inline float made_up_score(std::uint64_t row, std::uint32_t c) {
    const std::uint64_t mixed = (row * 1000003 + c * 7919 + 12345) * 0x9e3779b97f4a7c15ULL;
    return static_cast<float>(static_cast<int>(mixed >> 56) - 128) / 8.0F;
}

inline std::vector<float> made_up_scores(std::uint64_t first, std::uint32_t rows,
                                         std::uint32_t classes) {
    std::vector<float> scores;
    for (std::uint32_t r = 0; r < rows; ++r) {
        for (std::uint32_t c = 0; c < classes; ++c) scores.push_back(made_up_score(first + r, c));
    }
    return scores;
}

/// Scores of rows. Row 13 cannot be read. `more` is added to every third score.
inline void write_made_up_shard(StoreWriter& writer, std::size_t shard, float more = 0) {
    const std::uint64_t first = writer.first_row(shard);
    const std::uint32_t rows = writer.rows_in(shard);
    std::vector<RowState> states(rows, RowState::ok);
    std::vector<RowError> errors;
    if (first <= 13 && 13 < first + rows) {
        states[13 - first] = RowState::unreadable;
        errors.push_back({13, RowState::unreadable, "cut off after 77 bytes"});
    }
    std::vector<float> scores = made_up_scores(first, rows, writer.spec().classes);
    for (std::size_t i = 0; i < scores.size(); i += 3) scores[i] += more;
    writer.write_shard(shard, scores, states, errors, fmt::format("xxh128:{:032x}", shard));
}

inline void write_missing_shards(StoreWriter& writer, float more = 0) {
    for (std::size_t s = 0; s < writer.shards(); ++s) {
        if (!writer.has(s)) write_made_up_shard(writer, s, more);
    }
    writer.finish();
}

/// A folder in memory for files that are written thousands of times, because syncing costs nothing
/// there.
inline std::filesystem::path in_memory() {
    return std::filesystem::is_directory("/dev/shm") ? "/dev/shm"
                                                     : std::filesystem::temp_directory_path();
}

/// Every file below `folder` with its bytes, except locks, which contain a process id.
inline std::map<std::string, std::string> all_files(const std::filesystem::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (!entry.is_regular_file() || name == "lock" || name == ".lock") continue;
        std::ifstream in(entry.path(), std::ios::binary);
        files[entry.path().lexically_relative(folder).string()] =
            std::string(std::istreambuf_iterator<char>(in), {});
    }
    return files;
}

inline std::string file_text(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void put_text(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

/// Changes a text, and makes its checksum valid.
inline std::string with_checksum(const std::string& text) {
    const std::size_t at = text.rfind("\"xxh128\": ");
    return text.substr(0, at) +
           fmt::format("\"xxh128\": \"{}\"\n}}\n", hash_text(text.substr(0, at)));
}

/// Everything that can be read from a store, as text. Equal texts mean the same numbers under the
/// same names.
inline std::string everything_in(const std::filesystem::path& folder) {
    const PredictionStore store = PredictionStore::open(folder);
    const Dataset& dataset = store.dataset();
    const RowReader reader(store);
    std::string text =
        fmt::format("{} on {}\n", store.spec().model_name, store.spec().dataset_name);
    for (std::size_t c = 0; c < dataset.classes.size(); ++c)
        text += fmt::format("{} {}\n", dataset.classes.id(c), dataset.classes.name(c));
    std::vector<RankedClass> top;
    for (std::uint64_t row = 0; row < store.rows(); ++row) {
        text += fmt::format("{} [{}]", dataset.ids[row], fmt::join(dataset.labels[row], " "));
        for (const Dataset::Attribute& attribute : dataset.attributes)
            text += fmt::format(" {}={}", attribute.name, attribute.values[row]);
        reader.top(row, store.classes(), top);
        text += reader.why_not(row);
        for (const RankedClass& best : top)
            text += fmt::format(" {}:{:a}", best.cls, best.probability);
        text += fmt::format(" {:a}\n", reader.log_sum_exp(row).value_or(0));
    }
    return text;
}

/// The code and message of the Error that `body` throws. The test fails without one.
template <class Body>
std::pair<ErrorCode, std::string> error_of(Body&& body) {
    try {
        body();
    } catch (const Error& error) {
        return {error.code(), error.what()};
    }
    return {ErrorCode::internal, "nothing was thrown"};
}

}  // namespace assay
