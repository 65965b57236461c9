// The shards of a store that a reader keeps open. The kernel lets a process map so many files
// (vm.max_map_count, 65,530 unless changed) and so many bytes (ulimit -v): a store of more shards
// is read with a few of them open at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "assay/store/prediction_store.h"

namespace assay::store {

/// How many files all readers of this process together may keep mapped that never close one.
inline constexpr std::size_t default_open_files = 16384;
/// Sets another number for the readers that come, and returns the one before. For tests.
std::size_t set_open_files(std::size_t files);

class OpenShards {
public:
    /// `opened` must outlive this.
    explicit OpenShards(const PredictionStore& opened);
    ~OpenShards();
    OpenShards(const OpenShards&) = delete;
    OpenShards& operator=(const OpenShards&) = delete;

    /// A shard stays open with this once it is. Else at most 64 do, and one more per thread.
    bool keeps_all() const noexcept { return all_ != nullptr; }
    /// nullptr: it is not there (a store that is still being written lacks shards). Thread-safe.
    /// Valid as long as this where keeps_all(), else until the calling thread asks this for another
    /// shard. Throws as PredictionStore::shard() does.
    const PredictionStore::Shard* get(std::size_t index) const;

private:
    struct LazyShard {
        std::once_flag once;
        std::optional<PredictionStore::Shard> shard;
    };
    struct Recent {
        std::size_t index;
        PredictionStore::Shard shard;
    };
    PredictionStore::Shard recent(std::size_t index) const;

    const PredictionStore& store_;
    std::shared_ptr<const int> alive_;  ///< what the threads know that they hold a shard of
    std::size_t reserved_files_ = 0;
    std::uint64_t reserved_bytes_ = 0;
    std::unique_ptr<LazyShard[]> all_;  ///< of each shard, where all stay open

    std::size_t most_ = 0;  ///< that are open, where not all are
    mutable std::mutex mutex_;
    mutable std::list<Recent> recent_;  ///< the one last asked for in front
    mutable std::unordered_map<std::size_t, std::list<Recent>::iterator> places_;
};

}  // namespace assay::store
