#include "evaluate/shard_buffer.h"

#include <algorithm>
#include <utility>

#include "core/hash.h"

namespace assay {

void ShardBuffers::add(std::uint64_t first_row, std::span<const float> scores,
                       std::span<const RowState> states, std::span<const RowError> errors,
                       std::span<const ReadImage> images) {
    const std::uint32_t classes = writer_.spec().classes;
    const auto index = static_cast<std::size_t>(first_row / writer_.spec().shard_rows);
    std::unique_ptr<Shard> whole;
    {
        const std::scoped_lock lock(mutex_);
        auto& shard = shards_[index];
        if (!shard) {
            shard = std::make_unique<Shard>();
            shard->rows_left = writer_.rows_in(index);
            shard->scores.resize(std::size_t{shard->rows_left} * classes);
            shard->states.resize(shard->rows_left);
            shard->images.resize(shard->rows_left);
        }
        const auto at = static_cast<std::ptrdiff_t>(first_row - writer_.first_row(index));
        std::ranges::copy(scores,
                          shard->scores.begin() + at * static_cast<std::ptrdiff_t>(classes));
        std::ranges::copy(states, shard->states.begin() + at);
        std::ranges::copy(images, shard->images.begin() + at);
        shard->errors.insert(shard->errors.end(), errors.begin(), errors.end());
        shard->rows_left -= static_cast<std::uint32_t>(states.size());

        rows_ += states.size();
        if (shard->rows_left == 0) {
            whole = std::move(shard);
            shards_.erase(index);
        }
    }
    if (whole) write(index, *whole);
}

void ShardBuffers::write(std::size_t index, Shard& shard) {
    // Batches come in any order; the record must not tell.
    std::ranges::sort(shard.errors, {}, &RowError::row);
    Hasher all;
    std::vector<ImageFile> files;
    for (const ReadImage& image : shard.images) {
        all.add_field(image.hash);
        files.push_back(image.hash.empty() ? ImageFile()
                                           : store::image_file(image.bytes, image.hash));
    }
    images_.after(writer_.spec().model_name, writer_.first_row(index), files);
    writer_.write_shard(index, shard.scores, shard.states, shard.errors, all.digest(), files);
}

std::uint64_t ShardBuffers::rows() const {
    const std::scoped_lock lock(mutex_);
    return rows_;
}

}  // namespace assay
