// Files at URLs, read in ranges. Recently read blocks are cached, and the following blocks are
// fetched ahead, so that a sequence of images does not wait for each block.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "containers/remote/request.h"

namespace assay::remote {

struct FilesLimits {
    std::uint64_t block = std::uint64_t{1} << 20;  ///< bytes
    std::uint64_t run = 8;                         ///< blocks per request if reads are sequential
    std::uint64_t runs_ahead = 2;
    std::uint64_t kept = std::uint64_t{256} << 20;  ///< bytes of cached blocks
    std::size_t connections = 16;
    Patience patience{};
};

class File {
public:
    File(Place place, Version version) : place_(std::move(place)), version_(std::move(version)) {}
    const Place& place() const noexcept { return place_; }
    const Version& version() const noexcept { return version_; }

private:
    Place place_;
    Version version_;
};

/// One object per process: files(). Functions may be called from many threads.
class Files {
public:
    explicit Files(const FilesLimits& limits);
    /// Makes running requests end within a second.
    ~Files();
    Files(const Files&) = delete;
    Files& operator=(const Files&) = delete;

    /// The file in its current version. If the process has read from it before, returns the same
    /// object. Throws bad_input (place_of), unreachable, interrupted. Cost: one request, for the
    /// first block.
    std::shared_ptr<const File> open(std::string_view url);
    /// The file in a known version, without a request. Throws bad_input (place_of).
    std::shared_ptr<const File> open_known(std::string_view url, const Version& version);
    /// Fills `out` from `offset` on. The file must have these bytes. Throws unreachable,
    /// interrupted.
    void read(const File& file, std::uint64_t offset, std::span<std::byte> out);

    struct Counts {
        std::uint64_t requests = 0, bytes = 0;
    };
    Counts counts() const;

private:
    using Block = std::shared_ptr<const std::vector<std::byte>>;
    struct Key {
        const File* file;
        std::uint64_t block;
        bool operator==(const Key&) const = default;
    };
    struct KeyHash {
        std::size_t operator()(const Key& key) const noexcept {
            return std::hash<const void*>()(key.file) ^ (key.block * 0x9e3779b97f4a7c15U);
        }
    };
    struct Kept {
        std::shared_future<Block> block;
        std::uint64_t bytes = 0;  ///< 0 until the block has arrived
        std::list<Key>::iterator used;
    };
    /// Consecutive blocks that one request fetches.
    struct Run {
        const File* file;
        std::uint64_t first;
        std::vector<std::promise<Block>> blocks;
    };

    void fetch_missing(const File& file, std::uint64_t first, std::uint64_t end);
    bool reads_in_order(const File& file, std::uint64_t block) const;
    void work();
    void fetch(const Connection& connection, Run& run);
    void keep(const Run& run, const Range& range);
    void forget(const Run& run);
    bool cancelled() const;
    Patience patience() const;

    const FilesLimits limits_;
    mutable std::mutex mutex_;
    std::condition_variable more_;
    std::map<std::string, std::shared_ptr<const File>, std::less<>> by_url_;
    std::unordered_map<Key, Kept, KeyHash> blocks_;
    std::list<Key> used_;       ///< the most recently used first
    std::uint64_t bytes_ = 0;   ///< bytes of fetched blocks
    std::uint64_t coming_ = 0;  ///< bytes of requested blocks
    std::deque<Run> waiting_;
    std::size_t idle_ = 0;
    bool ending_ = false;
    bool answered_ = false;  ///< true if any server has answered this process
    Counts counts_;
    std::vector<std::thread> workers_;
};

/// All reads of a file in one process use the version that was read first, or throw an error.
Files& files();

/// Until it is destroyed, files() returns an object with these limits.
class FilesInstead {
public:
    explicit FilesInstead(const FilesLimits& limits);
    ~FilesInstead();
    FilesInstead(const FilesInstead&) = delete;
    FilesInstead& operator=(const FilesInstead&) = delete;

private:
    Files own_;
    Files* before_;
};

}  // namespace assay::remote
