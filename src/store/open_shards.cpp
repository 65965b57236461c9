#include "store/open_shards.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <list>
#include <mutex>
#include <utility>

#include "store/layout.h"

namespace assay::store {
namespace {

/// The part of the mapping limits that readers of this process have used.
struct OpenBudget {
    std::mutex mutex;
    std::size_t most_files = default_open_files;
    std::size_t files = 0;
    std::uint64_t bytes = 0;
};

OpenBudget& open_budget() {
    static OpenBudget budget;
    return budget;
}

/// Half of the process's remaining address space is for scores. The rest is for everything else.
std::uint64_t address_budget() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
    std::ifstream statm("/proc/self/statm");
    std::uint64_t pages = 0;
    statm >> pages;
    const std::uint64_t used = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return limit.rlim_cur > used ? (limit.rlim_cur - used) / 2 : 0;
}

/// The shard that a thread is reading, so that no other thread's request closes it.
struct PinnedShard {
    std::weak_ptr<const int> reader;
    const OpenShards* of;
    std::size_t index;
    PredictionStore::Shard shard;
};

/// One pin for each reader that the thread has used.
std::list<PinnedShard>& pinned_shards() {
    thread_local std::list<PinnedShard> pins;
    return pins;
}

}  // namespace

std::size_t set_open_files(std::size_t files) {
    const std::lock_guard guard(open_budget().mutex);
    return std::exchange(open_budget().most_files, files);
}

OpenShards::OpenShards(const PredictionStore& opened)
    : store_(opened), alive_(std::make_shared<const int>(0)) {
    const StoreSpec& spec = opened.spec();
    std::uint64_t shard_bytes = 0;  // size of the first shard, which is the largest
    std::size_t shard_file_count = 0;
    for (const ShardFile& file : shard_files(spec, 0)) {
        shard_bytes += file.bytes();
        ++shard_file_count;
    }
    const std::size_t files = opened.shards() * shard_file_count;
    const std::uint64_t bytes = opened.shards() * shard_bytes;
    const std::uint64_t most_bytes = address_budget();
    OpenBudget& budget = open_budget();
    const std::lock_guard guard(budget.mutex);
    if (!opened.makes_copies() &&
        files <= budget.most_files - std::min(budget.most_files, budget.files) &&
        bytes <= most_bytes - std::min(most_bytes, budget.bytes)) {
        budget.files += reserved_files_ = files;
        budget.bytes += reserved_bytes_ = bytes;
        all_ = std::make_unique<LazyShard[]>(opened.shards());
        return;
    }
    constexpr std::size_t few = 64;
    most_ = static_cast<std::size_t>(std::clamp<std::uint64_t>(
        most_bytes / 4 / std::max<std::uint64_t>(shard_bytes, 1), 1, few));
}

OpenShards::~OpenShards() {
    OpenBudget& budget = open_budget();
    const std::lock_guard guard(budget.mutex);
    budget.files -= reserved_files_;
    budget.bytes -= reserved_bytes_;
}

const PredictionStore::Shard* OpenShards::get(std::size_t index) const {
    if (keeps_all()) {
        LazyShard& lazy = all_[index];
        std::call_once(lazy.once, [&] {
            if (store_.has(index)) lazy.shard = store_.shard(index);
        });
        return lazy.shard ? &*lazy.shard : nullptr;
    }
    if (!store_.has(index)) return nullptr;
    std::list<PinnedShard>& pins = pinned_shards();
    const auto own = std::find_if(pins.begin(), pins.end(), [&](const PinnedShard& pin) {
        return pin.of == this && !pin.reader.expired();
    });
    if (own != pins.end() && own->index == index) return &own->shard;
    if (own != pins.end()) pins.erase(own);  // closed before the next one is opened
    pins.remove_if([](const PinnedShard& pin) { return pin.reader.expired(); });
    return &pins.emplace_front(PinnedShard{alive_, this, index, recent(index)}).shard;
}

PredictionStore::Shard OpenShards::recent(std::size_t index) const {
    {
        const std::lock_guard guard(mutex_);
        if (const auto place = places_.find(index); place != places_.end()) {
            recent_.splice(recent_.begin(), recent_, place->second);
            return recent_.front().shard;
        }
    }
    PredictionStore::Shard opened = store_.shard(index);
    const std::lock_guard guard(mutex_);
    if (places_.contains(index)) return opened;  // another thread was first
    recent_.push_front({index, opened});
    places_[index] = recent_.begin();
    if (recent_.size() > most_) {
        places_.erase(recent_.back().index);
        recent_.pop_back();
    }
    return opened;
}

}  // namespace assay::store
