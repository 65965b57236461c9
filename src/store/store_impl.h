// The implementation behind PredictionStore: a folder of shards, or scores in memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/store/memory_store.h"
#include "assay/store/prediction_store.h"
#include "core/file.h"
#include "store/manifest.h"
#include "store/record.h"
#include "store/reduce.h"

namespace assay {

struct PredictionStore::Shard::Impl {
    StorageFormat storage;
    std::uint32_t classes;
    std::uint32_t per_row;  // numbers or entries per row
    store::ShardRecord record;
    std::vector<MappedFile> maps;                  // in the order of the record
    std::vector<std::span<const std::byte>> data;  // data of the files, without headers
    std::vector<float> floats;                     // for a store in memory with other numbers
    store::ShardData reduced;                      // likewise
    std::shared_ptr<const ScoreMatrix> doubles;    // for a store in memory with float64 numbers

    explicit Impl(const StoreSpec& spec)
        : storage(spec.storage),
          classes(spec.classes),
          per_row(spec.storage == StorageFormat::label   ? 1
                  : spec.storage == StorageFormat::top_k ? spec.top_k
                                                         : spec.classes) {}

    template <class T>
    std::span<const T> numbers(std::size_t file) const {
        return {reinterpret_cast<const T*>(data[file].data()), data[file].size() / sizeof(T)};
    }
    /// Checks that class numbers are classes, because reduced forms use them. Throws bad_input.
    void check_entries() const;
};

namespace store {

/// Provides a store's shards from memory instead of a folder.
class ShardsInMemory {
public:
    virtual ~ShardsInMemory() = default;
    /// Thread-safe.
    virtual std::shared_ptr<const PredictionStore::Shard::Impl> load(std::size_t index) const = 0;
    /// True if each load computes the numbers again, so that not all should be kept.
    virtual bool makes_copies() const = 0;
};

/// The marks that a writer changes when it replaces a shard's files. It first removes the mark
/// `finished` from the manifest, then removes the shard's record.
struct WriterMarks {
    FileState manifest, own_manifest, record;
    bool operator==(const WriterMarks&) const = default;
};

}  // namespace store

struct PredictionStore::Impl {
    std::filesystem::path folder;
    store::Manifest manifest;
    std::vector<bool> present;
    std::vector<StorePart> unfinished;
    std::string written_by;  // the writer of the store when it was opened
    /// Checksums are verified once. For each shard, the beginning of its record's hash, or 0.
    std::unique_ptr<std::atomic<std::uint64_t>[]> verified;
    mutable std::mutex mutex;  // for `dataset`
    mutable std::optional<Dataset> dataset;
    std::unique_ptr<const store::ShardsInMemory> memory;  // null if the store has a folder

    std::shared_ptr<const Shard::Impl> load(std::size_t index) const;
    /// The same, but the message mentions a writer that caused the error.
    std::shared_ptr<const Shard::Impl> load_unless_written(std::size_t index) const;
    /// True if no writer has changed the shard since its marks were `before`.
    bool is_untouched_since(const store::WriterMarks& before, std::size_t index) const;
    std::string replaced_text(std::size_t index) const;
};

}  // namespace assay
