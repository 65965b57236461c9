#include "evaluate/inspect/recorded_images.h"

#include <algorithm>
#include <map>

#include "core/parallel.h"
#include "evaluate/inspect/described_data.h"
#include "evaluate/inspect/duplicates.h"
#include "image/file_facts.h"
#include "store/layout.h"
#include "store/record.h"

namespace assay {

std::optional<InspectResult> inspect::recorded_images(const std::filesystem::path& store,
                                                      const StoreSpec& spec, const Dataset& dataset,
                                                      std::size_t examples) {
    const std::size_t images = dataset.size();
    ImageHashes hashes{.file = std::vector<std::uint64_t>(images),
                       .look = std::vector<std::uint64_t>(images)};
    ImageTally tally(examples, false);
    bool recorded = false;
    for (std::size_t shard = 0; shard < store::shard_count(spec); ++shard) {
        throw_if_stopped();
        const auto record = store::record_if_there(store, spec, shard);
        if (!record || record->images.empty()) continue;
        const auto begin = static_cast<std::uint32_t>(store::shard_begin(spec, shard));
        std::map<std::uint64_t, std::string> why;
        for (const RowError& error : record->errors) why.emplace(error.row, error.message);
        for (std::size_t i = 0; i < record->images.size(); ++i) {
            const auto item = begin + static_cast<std::uint32_t>(i);
            const ImageFile& image = record->images[i];
            recorded = recorded || image.known();
            if (image.known()) hashes.file[item] = std::max<std::uint64_t>(image.hash, 1);
            if (record->states[i] == RowState::unreadable) {
                tally.add_unreadable(item, ImageFormat::unknown, why[item]);
            } else {
                tally.add_recorded(item, image.left_aside);
            }
        }
    }
    if (!recorded) return std::nullopt;
    InspectResult result = described_data(dataset, examples);
    result.store = store.string();
    take_tally(tally, dataset, result);
    InspectOptions options;
    options.examples = examples;
    find_duplicates(dataset, std::move(hashes), nullptr, {}, options, result);
    return result;
}

std::optional<InspectResult> inspect_store(const PredictionStore& store, std::size_t examples) {
    if (store.is_in_memory()) return std::nullopt;
    return inspect::recorded_images(store.folder(), store.spec(), store.dataset(), examples);
}

}  // namespace assay
