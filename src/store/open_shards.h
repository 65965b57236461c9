// Keeps shards of a store open for a reader. The kernel limits how many files
// (vm.max_map_count, 65,530 by default) and how many bytes (ulimit -v) a process may map. So a
// store with more shards is read with a few of them open at a time.
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

/// The total number of files that readers of this process may keep mapped without ever closing one.
inline constexpr std::size_t default_open_files = 16384;
/// Sets another limit for future readers, and returns the previous limit. For tests.
std::size_t set_open_files(std::size_t files);

class OpenShards {
public:
    /// `opened` must outlive this object.
    explicit OpenShards(const PredictionStore& opened);
    ~OpenShards();
    OpenShards(const OpenShards&) = delete;
    OpenShards& operator=(const OpenShards&) = delete;

    /// True if opened shards stay open as long as this object. Otherwise at most 64 shards do, plus
    /// one per thread.
    bool keeps_all() const noexcept { return all_ != nullptr; }
    /// Returns nullptr if the shard does not exist (a store that is being written lacks shards).
    /// Thread-safe. The result is valid as long as this object if keeps_all(), else until the
    /// calling thread requests another shard. Throws as PredictionStore::shard() does.
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
    std::shared_ptr<const int> alive_;  ///< lets threads detect that the object whose shard they
                                        ///< hold is gone
    std::size_t reserved_files_ = 0;
    std::uint64_t reserved_bytes_ = 0;
    std::unique_ptr<LazyShard[]> all_;  ///< one per shard, if all stay open

    std::size_t most_ = 0;  ///< limit for open shards, if not all stay open
    mutable std::mutex mutex_;
    mutable std::list<Recent> recent_;  ///< the most recently used first
    mutable std::unordered_map<std::size_t, std::list<Recent>::iterator> places_;
};

}  // namespace assay::store
