#include "evaluate/shard_buffer.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "assay/error.h"
#include "core/hash.h"
#include "evaluate/written_rows.h"
#include "store/former_decoder.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

/// Compares the sizes of all files and the bytes of one.
bool are_other_images(const Dataset& dataset, const StoreSpec& spec, const store::BegunRows& rows) {
    bool compared = false;
    for (std::size_t i = 0; i < rows.images.size(); ++i) {
        const ReadImage& read = rows.images[i];
        const std::uint64_t row = rows.first_row + i;
        if (dataset.archive == nullptr) {
            std::error_code problem;
            if (std::filesystem::file_size(dataset.path_of(row), problem) != read.bytes)
                return true;
        }
        if (compared && !store::may_have_other_pixels(spec, dataset, row)) continue;
        compared = true;
        try {
            if (hash_bytes(dataset.read_image(row)) != read.hash) return true;
        } catch (const Error&) {  // the run will report this
            return true;
        }
    }
    return !compared;
}

bool is_readable(std::span<const RowState> states) {
    return std::ranges::find(states, RowState::unreadable) == states.end();
}

}  // namespace

std::unique_ptr<ShardBuffers::Shard> ShardBuffers::put(std::size_t index, std::uint64_t first_row,
                                                       std::span<const float> scores,
                                                       std::span<const RowState> states,
                                                       std::span<const RowError> errors,
                                                       std::span<const ReadImage> images) {
    const std::uint32_t classes = writer_.spec().classes;
    auto& shard = shards_[index];
    if (!shard) {
        shard = std::make_unique<Shard>();
        shard->rows_left = writer_.rows_in(index);
        shard->scores.resize(std::size_t{shard->rows_left} * classes);
        shard->states.resize(shard->rows_left);
        shard->images.resize(shard->rows_left);
    }
    const auto at = static_cast<std::ptrdiff_t>(first_row - writer_.first_row(index));
    std::ranges::copy(scores, shard->scores.begin() + at * static_cast<std::ptrdiff_t>(classes));
    std::ranges::copy(states, shard->states.begin() + at);
    std::ranges::copy(images, shard->images.begin() + at);
    shard->errors.insert(shard->errors.end(), errors.begin(), errors.end());
    shard->rows_left -= static_cast<std::uint32_t>(states.size());
    if (shard->rows_left > 0) return nullptr;
    std::unique_ptr<Shard> whole = std::move(shard);
    shards_.erase(index);
    return whole;
}

void ShardBuffers::add(std::uint64_t first_row, std::span<const float> scores,
                       std::span<const RowState> states, std::span<const RowError> errors,
                       std::span<const ReadImage> images) {
    const auto index = static_cast<std::size_t>(first_row / writer_.spec().shard_rows);
    std::unique_ptr<Shard> whole;
    bool late = false;
    {
        const std::scoped_lock lock(mutex_);
        whole = put(index, first_row, scores, states, errors, images);
        rows_ += states.size();
        // Images that could not be read are read again.
        if (!whole) {
            Shard& begun = *shards_[index];
            if (is_readable(states)) {
                begun.unkept.push_back({first_row, states.size()});
            } else {
                begun.unreadable += states.size();
            }
        }
        late = Clock::now() - kept_ >= every_;
        if (late) kept_ = Clock::now();  // a single thread saves at a time
    }
    if (whole) write(index, *whole);
    if (late) keep();
}

store::BegunRows ShardBuffers::rows_of(std::size_t index, const Shard& shard,
                                       const Batch& batch) const {
    const std::size_t at = batch.first_row - writer_.first_row(index),
                      classes = writer_.spec().classes;
    store::BegunRows rows;
    rows.first_row = batch.first_row;
    const auto states = std::span(shard.states).subspan(at, batch.rows);
    rows.states.assign(states.begin(), states.end());
    const auto images = std::span(shard.images).subspan(at, batch.rows);
    rows.images.assign(images.begin(), images.end());
    const auto scores = std::span(shard.scores).subspan(at * classes, batch.rows * classes);
    rows.scores.assign(scores.begin(), scores.end());
    std::ranges::copy_if(shard.errors, std::back_inserter(rows.errors), [&](const RowError& e) {
        return e.row >= batch.first_row && e.row - batch.first_row < batch.rows;
    });
    return rows;
}

void ShardBuffers::keep() {
    const std::scoped_lock one(keeping_);
    std::map<std::size_t, std::vector<store::BegunRows>> all;
    {
        const std::scoped_lock lock(mutex_);
        kept_ = Clock::now();
        for (auto& [index, shard] : shards_) {
            for (const Batch& batch : shard->unkept)
                all[index].push_back(rows_of(index, *shard, batch));
            shard->unkept.clear();
        }
    }
    for (const auto& [index, rows] : all) {
        store::keep_rows(writer_.folder(), writer_.spec(), on_, index, rows);
        // Another thread may have written the shard meanwhile.
        if (writer_.has(index)) store::forget_rows(writer_.folder(), index);
    }
}

void ShardBuffers::resume(std::size_t shard, const Dataset& dataset, bool retry_failed) {
    for (const store::BegunRows& rows :
         store::kept_rows(writer_.folder(), writer_.spec(), on_, shard)) {
        const StoreSpec& spec = writer_.spec();
        const bool fits =
            rows.first_row % spec.batch_size == 0 &&
            rows.states.size() ==
                std::min<std::uint64_t>(spec.batch_size, spec.rows - rows.first_row) &&
            is_readable(rows.states) &&
            !(retry_failed && std::ranges::count(rows.states, RowState::not_finite) > 0);
        if (fits && !are_other_images(dataset, spec, rows)) take_over(shard, rows);
    }
    for (const store::BegunRows& rows :
         prediction::written_rows(writer_.folder(), writer_.spec(), on_, shard, dataset))
        take_over(shard, rows);
}

void ShardBuffers::take_over(std::size_t index, const store::BegunRows& rows) {
    if (!found_.insert(rows.first_row).second) return;
    found_rows_ += rows.states.size();
    if (const auto whole =
            put(index, rows.first_row, rows.scores, rows.states, rows.errors, rows.images))
        write(index, *whole);
}

void ShardBuffers::write(std::size_t index, Shard& shard) {
    // Batches arrive in any order, and the record must not depend on it.
    std::ranges::sort(shard.errors, {}, &RowError::row);
    Hasher all;
    std::vector<ImageFile> files;
    for (const ReadImage& image : shard.images) {
        all.add_field(image.hash);
        files.push_back(image.hash.empty() ? ImageFile()
                                           : store::image_file(image.bytes, image.hash));
        files.back().left_aside = image.left_aside;
    }
    images_.after(writer_.spec().model_name, writer_.first_row(index), files);
    writer_.write_shard(index, shard.scores, shard.states, shard.errors, all.digest(), files);
}

std::uint64_t ShardBuffers::kept_rows() const {
    const std::scoped_lock lock(mutex_);
    std::uint64_t rows = rows_;
    for (const auto& [index, shard] : shards_) rows -= shard->unreadable;
    return rows;
}

std::uint64_t ShardBuffers::rows() const {
    const std::scoped_lock lock(mutex_);
    return rows_;
}

}  // namespace assay
