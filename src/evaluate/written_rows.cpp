#include "evaluate/written_rows.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "assay/error.h"
#include "core/file.h"
#include "core/half.h"
#include "core/hash.h"
#include "core/parallel.h"
#include "store/image_check.h"
#include "store/layout.h"
#include "store/record.h"

namespace assay::prediction {
namespace {

/// Empty for formats without all scores.
std::vector<float> written_scores(const std::filesystem::path& folder, const StoreSpec& spec,
                                  const store::ShardRecord& record) {
    if (spec.storage != StorageFormat::full_f32 && spec.storage != StorageFormat::full_f16)
        return {};
    store::check_data(folder, record);
    const store::ShardFile file = store::shard_files(spec, record.shard).front();
    const std::vector<std::byte> bytes = read_file(store::shards_folder(folder) / file.name);
    const std::size_t n = std::size_t{store::shard_size(spec, record.shard)} * spec.classes;
    const auto data = std::span(bytes).last(n * file.element_bytes);
    std::vector<float> scores(n);
    if (spec.storage == StorageFormat::full_f32) {
        std::memcpy(scores.data(), data.data(), data.size());
        return scores;
    }
    std::vector<std::uint16_t> halves(n);
    std::memcpy(halves.data(), data.data(), data.size());
    std::ranges::transform(halves, scores.begin(), float_from_half);
    return scores;
}

/// The current facts about the image; no value if it differs from the record.
std::optional<ReadImage> same_image(const Dataset& dataset, std::uint64_t row,
                                    const ImageFile& recorded) {
    throw_if_stopped();
    try {
        const std::vector<std::byte> bytes = dataset.read_image(row);
        ReadImage read = image_read(bytes);
        if (store::image_file(read.bytes, read.hash) == recorded) return read;
    } catch (const Error& error) {
        if (error.code() == ErrorCode::interrupted) throw;  // the run reports any other error
    }
    return std::nullopt;
}

}  // namespace

std::size_t failed_rows(const std::filesystem::path& folder, const StoreSpec& spec,
                        std::size_t shard) {
    const auto record = store::record_if_there(folder, spec, shard);
    if (!record) return 0;
    return static_cast<std::size_t>(std::ranges::count(record->states, RowState::not_finite));
}

std::vector<store::BegunRows> written_rows(const std::filesystem::path& folder,
                                           const StoreSpec& spec, const ComputedOn& on,
                                           std::size_t shard, const Dataset& dataset) {
    std::vector<store::BegunRows> all;
    const auto record = store::record_if_there(folder, spec, shard);
    if (!record || record->computed_on != on || record->images.size() != record->states.size())
        return all;
    const std::vector<float> scores = written_scores(folder, spec, *record);
    if (scores.empty()) return all;
    const std::size_t rows = record->states.size(), classes = spec.classes;
    for (std::size_t at = 0; at < rows; at += spec.batch_size) {
        const std::size_t n = std::min<std::size_t>(spec.batch_size, rows - at);
        const auto states = std::span(record->states).subspan(at, n);
        if (!std::ranges::all_of(states, [](RowState s) { return s == RowState::ok; })) continue;
        store::BegunRows batch;
        batch.first_row = store::shard_begin(spec, shard) + at;
        batch.states.assign(states.begin(), states.end());
        for (std::size_t i = 0; i < n; ++i) {
            auto read = same_image(dataset, batch.first_row + i, record->images[at + i]);
            if (!read) break;
            batch.images.push_back(std::move(*read));
        }
        if (batch.images.size() < n) continue;
        const auto own = std::span(scores).subspan(at * classes, n * classes);
        batch.scores.assign(own.begin(), own.end());
        all.push_back(std::move(batch));
    }
    return all;
}

}  // namespace assay::prediction
