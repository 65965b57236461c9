#include "store/known_shards.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "store/layout.h"
#include "store/parts.h"

namespace assay::store {

Gaps gaps_of(const ShardRecord& record, const StoreSpec& spec) {
    Gaps gaps;
    const std::uint64_t begin = shard_begin(spec, record.shard);
    for (std::size_t i = 0; i < record.states.size(); ++i) {
        if (record.states[i] != RowState::ok) ++gaps.bad.count;
        if (record.states[i] == RowState::unreadable) gaps.unreadable.push_back(begin + i);
    }
    if (!record.errors.empty()) gaps.bad.first = record.errors.front();
    return gaps;
}

std::vector<KnownShard> find_committed(const std::filesystem::path& folder,
                                       const Manifest& manifest) {
    const StoreSpec& spec = manifest.spec;
    std::vector<KnownShard> shards(shard_count(spec));
    const ShardRange own = shards_of(spec.part, shards.size());
    for (std::size_t shard = own.begin; shard < own.end; ++shard) {
        throw_if_stopped();
        if (!is_there(record_path(folder, shard))) continue;
        with_note(fmt::format("resuming the store `{}`", folder.string()), [&] {
            const ShardRecord record = read_record(folder, manifest, shard);
            check_data(folder, record);
            shards[shard] = {ShardState::committed, gaps_of(record, spec), record.xxh128};
        });
    }
    return shards;
}

}  // namespace assay::store
