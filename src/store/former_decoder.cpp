#include "store/former_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "assay/error.h"
#include "assay/report.h"
#include "core/hash.h"
#include "core/parallel.h"
#include "core/shell_word.h"
#include "image/decoder_version.h"
#include "store/image_check.h"
#include "store/layout.h"
#include "store/record.h"

namespace assay::store {
namespace {

/// Detects whether a model's images were read by an earlier version of the decoder.
bool is_by_former_decoder(const StoreSpec& spec) {
    return spec.decoder < decoder_version && !spec.preprocess_hash.empty();
}

/// Without a record, the image is assumed to have been used as encoded.
bool has_other_pixels(const StoreSpec& spec, const Dataset& dataset, std::uint64_t row,
                      const ImageFile& recorded) {
    if (!may_have_other_pixels(spec, dataset, row)) return false;
    if (!recorded.known()) return true;
    const std::vector<std::byte> now = dataset.read_image(static_cast<std::size_t>(row));
    return image_file(now.size(), hash_bytes(now)) != recorded;
}

}  // namespace

bool may_have_other_pixels(const StoreSpec& spec, const Dataset& dataset, std::uint64_t row) {
    if (dataset.archive == nullptr || !is_by_former_decoder(spec)) return false;
    try {
        return dataset.archive->is_turned((dataset.paths.size() == 0
                                               ? dataset.ids
                                               : dataset.paths)[static_cast<std::size_t>(row)]);
    } catch (const Error& error) {
        if (ends_the_run(error)) throw;
        return false;
    }
}

void refuse_former_decoder(const fs::path& store, const StoreSpec& spec, const Dataset& dataset,
                           int threads) {
    if (dataset.archive == nullptr || !is_by_former_decoder(spec)) return;
    std::uint64_t scored = 0, first = UINT64_MAX, others = 0;
    for (std::size_t shard = 0; shard < shard_count(spec); ++shard) {
        const auto record = record_if_there(store, spec, shard);
        if (!record) continue;
        const std::uint64_t begin = shard_begin(spec, shard);
        std::vector<char> differ(record->states.size());
        parallel_blocks(differ.size(), resolve_threads(threads), [&](std::size_t i) {
            throw_if_stopped();
            if (record->states[i] == RowState::unreadable) return;
            const ImageFile known = record->images.empty() ? ImageFile() : record->images[i];
            differ[i] = has_other_pixels(spec, dataset, begin + i, known) ? 1 : 0;
        });
        scored += differ.size();
        for (std::size_t i = 0; i < differ.size(); ++i) {
            if (differ[i] == 0) continue;
            first = std::min(first, begin + i);
            ++others;
        }
    }
    if (others == 0) return;
    const fs::path runs = store.parent_path().parent_path();
    throw Error(
        ErrorCode::bad_input,
        fmt::format(
            "an earlier Assay made the store `{}` and did not rotate photographs in Parquet files "
            "by their EXIF data. Now {} of its {} images {} different pixels; the first is `{}`. "
            "To compute all images in the same way, rerun the command with --out {}",
            store.string(), count_text(others), count_text(scored), others == 1 ? "has" : "have",
            std::string(dataset.ids[static_cast<std::size_t>(first)]),
            shell_word(runs.string() + "-turned")));
}

}  // namespace assay::store
