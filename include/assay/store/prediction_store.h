// The prediction store: scores of one classifier on one data set, in checksummed shards. Format:
// docs/formats.md.
//
//   RUNS/<data set>/dataset.json, items.csv          what the rows are (shared by the models).
//   RUNS/<data set>/<model>/manifest.json            what the numbers are, and their origin.
//   RUNS/<data set>/<model>/shards/000000.npy        scores of rows [0, shard_rows).
//   RUNS/<data set>/<model>/shards/000000.json       checksum, row states and errors. It is
//                                                    written last, and commits the shard.
//   RUNS/<data set>/<model>/lock                     held while a writer works.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "assay/collective/comm.h"
#include "assay/data/dataset.h"
#include "assay/store/score_kind.h"

namespace assay {

/// The numbers of each row that are stored.
enum class StorageFormat {
    full_f32,  ///< C floats per row
    full_f16,  ///< C half floats per row
    top_k,     ///< the k best (class, score) and the row's log-sum-exp, which keeps their
               ///< probabilities exact
    label,     ///< arg-max class and its probability
};
std::string_view name_of(StorageFormat);
/// Finds "full_f32", "full_f16", "top_k" or "label". Throws usage with the known names.
StorageFormat storage_format_named(std::string_view);
/// As users request it: "full" or "f32", "f16", "topK" ("top5", ...), "label".
struct StorageChoice {
    StorageFormat storage = StorageFormat::full_f32;
    std::uint32_t top_k = 0;  ///< number of entries with StorageFormat::top_k
};
/// Throws usage with the allowed words.
StorageChoice storage_choice_named(std::string_view);

enum class RowState : std::uint8_t { ok = 0, unreadable = 1, not_finite = 2 };

/// The file of a row's image at the time it was read: enough to recognize it.
struct ImageFile {
    std::uint64_t bytes = 0;
    std::uint64_t hash = 0;  ///< the first 16 hex digits of what `xxh128sum` prints
    /// The properties of the file that decoding ignored (src/image/file_facts.h). The file's bytes
    /// determine them. Older stores, without this record, have 0.
    std::uint8_t left_aside = 0;
    bool operator==(const ImageFile& other) const {
        return bytes == other.bytes && hash == other.hash;
    }
    /// False if the file could not be read.
    bool known() const noexcept { return bytes != 0 || hash != 0; }
};

/// The device, library and precision that computed a shard's scores. Results are bit-identical only
/// for one kind of device, one library and one precision.
struct ComputedOn {
    std::string device;          ///< "cpu", "cuda (NVIDIA H100 80GB HBM3)"
    std::string framework;       ///< "LibTorch 2.6.0"
    std::string precision = "";  ///< "fp16"; "": fp32
    bool operator==(const ComputedOn&) const = default;
    bool known() const noexcept { return !device.empty() || !framework.empty(); }
};
/// "cuda (NVIDIA H100 80GB HBM3), LibTorch 2.6.0, fp16"; "" if not known.
std::string describe(const ComputedOn& on);

struct RowError {
    std::uint64_t row;  ///< number of the row in the store
    RowState state;
    std::string message;
};

/// Checks a name of a data set or model, which becomes a folder's name. Throws bad_input unless it
/// has 1 to 200 bytes, no '/' or control characters, and does not begin with '.'. `what` is "model"
/// or "data set".
void check_folder_name(std::string_view what, std::string_view name);
/// Makes a valid name from any text: "timm/resnet50.a1_in1k" gives "timm_resnet50.a1_in1k".
std::string folder_name_from(std::string_view text);

/// Part `number` (from 1) of `of` of a store; {0, 0} means all of it.
struct StorePart {
    std::uint32_t number = 0, of = 0;
    bool operator==(const StorePart&) const = default;
};
/// Reads "7/100". Throws usage unless it has two whole numbers, the first at least 1 and at most
/// the second, which is at most 100,000.
StorePart parse_part(std::string_view text);

/// Everything that is fixed when a store is begun. A writer may resume a store if it agrees on
/// all fields except the provenance. A batch_size or shard_rows of 0 agrees with the recorded
/// value.
struct StoreSpec {
    std::string dataset_name;
    std::string model_name;
    std::uint64_t rows = 0;
    std::uint32_t classes = 0;
    ScoreKind kind = ScoreKind::logits;
    StorageFormat storage = StorageFormat::full_f32;
    std::uint32_t top_k = 0;       ///< number of entries with StorageFormat::top_k
    std::uint32_t shard_rows = 0;  ///< 0 chooses a multiple of batch_size for shards of about 4 MiB
    std::uint32_t batch_size =
        0;  ///< rows that went through the classifier together; 0 if not known (imports)
    std::string ids_hash;         ///< Dataset::ids_fingerprint()
    std::string model_hash;       ///< hash_file of the model or of the imported file
    std::string preprocess_hash;  ///< "" for imports
    std::string import_hash;      ///< for imports: which row of the file each item has, and the
                                  ///< classes of its columns; else ""
    std::string provenance_json;  ///< JSON object: command, versions, device, resolved model spec,
                                  ///< preprocessing, ...
    /// Both are computed when the store is begun, and identify it in each of its files. They are ""
    /// in stores from before files named them.
    std::string dataset_id;  ///< depends on the names, ids, labels, attributes and classes of the
                             ///< items
    std::string id;          ///< depends on `dataset_id`, `decoder` and all of the above except the
                             ///< provenance
    /// The part that a writer writes; it does not distinguish stores. A reader of a store in n
    /// parts, or of some of them, has {0, n}.
    StorePart part;
    /// The version of Assay's decoder that made the pixels (src/image/decoder_version.h); 0 for
    /// imports and older stores. A writer continues the work of a former version if it gives the
    /// same pixels for these images.
    std::uint32_t decoder = 0;
};

/// A stored entry of a row in a reduced store.
struct TopEntry {
    std::int32_t cls;
    float score;
};

/// Writes or resumes one store. Not copyable. write_shard may be called from many threads for
/// different shards.
class StoreWriter {
public:
    /// Begins a store under `runs`, or resumes the existing one in its format. Writes dataset.json
    /// and items.csv if they are missing, and checks them otherwise. Reads all existing shards and
    /// verifies their checksums. Throws bad_input if a shard is damaged or belongs to another
    /// store. Throws bad_input if the existing store differs in model, preprocessing, data or
    /// options (naming each difference and the remedy). Also throws bad_input if a newer version
    /// wrote the store, or if it is divided into parts differently. Throws bad_input if the data
    /// set and the scores differ in the number of classes. Throws busy if another process writes
    /// it; io. `corruption` is a JSON object that describes how each image of `dataset` was changed
    /// before a classifier got it; "" means unchanged. It is part of a data set's identity: stores
    /// of images with different corruptions are never below the same data set's folder.
    static StoreWriter open(const std::filesystem::path& runs, const StoreSpec& spec,
                            const Dataset& dataset, std::string_view corruption = {});
    /// The same for ranks that share one folder. The first rank opens the store, as above, and
    /// holds its lock. The others use its findings without reading the folder. Every rank calls
    /// share() before it writes, and finish(comm) afterwards. Throws as open() does, on every rank.
    static StoreWriter open(const std::filesystem::path& runs, const StoreSpec& spec,
                            const Dataset& dataset, Comm& comm, std::string_view corruption = {});
    ~StoreWriter();
    StoreWriter(StoreWriter&&) noexcept;

    const StoreSpec& spec()
        const noexcept;  ///< with the recorded shard_rows (and batch_size, if resumed), the data
                         ///< set's name from dataset.json, and the ids
    const std::filesystem::path& folder() const noexcept;
    std::size_t shards() const noexcept;
    std::uint64_t first_row(std::size_t shard) const noexcept;
    std::uint32_t rows_in(std::size_t shard) const noexcept;
    /// True if the shard belongs to this writer's part and its rank's share. Shards that existed
    /// before all belong to the first rank.
    bool is_own(std::size_t shard) const noexcept;
    /// True if this or an earlier run committed the shard. open() has checked its record and
    /// bytes.
    bool has(std::size_t shard) const;
    std::size_t missing() const;  ///< number of missing shards of this writer's own share
    std::uint64_t own_rows() const noexcept;
    /// A remark if the store has no lock, or a lock that other machines do not see; otherwise
    /// "".
    const std::string& lock_warning() const noexcept;
    /// The number of rows that are not ok in committed shards of all runs, and the first one's
    /// message.
    struct BadRows {
        std::uint64_t count = 0;
        std::optional<RowError> first;
    };
    BadRows bad_rows() const;
    /// Rows of a committed shard whose images could not be read; empty for a missing shard.
    std::vector<std::uint64_t> unreadable_rows(std::size_t shard) const;
    /// Marks a committed shard to be computed again: it counts as missing until write_shard
    /// replaces it. The file stays until then, so that an interrupted run loses nothing.
    void redo(std::size_t shard);

    /// `scores` has rows_in(shard) x classes floats, row-major. Rows that are not ok are ignored
    /// and stored as NaN. `states` has one entry per row. `images_hash` covers the bytes of the
    /// shard's images in order ("" for imports). `images` has one entry per row, or none. A row
    /// marked ok that contains a NaN or an infinity becomes not_finite, with an error that names
    /// the class and the score. With full_f16, this includes a score above 65504. A logit or
    /// log-probability of -infinity is accepted as probability 0 if another class of the row has
    /// more. Converts to the storage format, writes a temporary file, syncs and renames it. Throws
    /// io; internal if the shard exists already.
    void write_shard(std::size_t shard, std::span<const float> scores,
                     std::span<const RowState> states, std::span<const RowError> errors,
                     const std::string& images_hash, std::span<const ImageFile> images = {});
    /// The same for rows_in(shard) x k entries, the best k of each row, best first, if other scores
    /// are not known. The number k is spec().top_k, or 1 with StorageFormat::label. Only for rows
    /// whose log-sum-exp is 0: probabilities, log-probabilities, and ScoreKind::labels with entries
    /// of score 1. A row with an entry that is not finite becomes not_finite, as above.
    void write_entries(std::size_t shard, std::span<const TopEntry> entries,
                       std::span<const RowState> states, std::span<const RowError> errors,
                       const std::string& images_hash);
    /// Marks the store or part as complete and releases the lock. All its shards must exist.
    void finish();

    /// Divides the missing shards among the ranks, in turn. Any number of ranks may have begun the
    /// store.
    void share(Comm& comm);
    /// Waits until every rank has written its share, and finishes the store. The store then equals
    /// one that a single process wrote. A network disk may show other machines' files late. Throws
    /// io on every rank if a file does not appear within a minute.
    void finish(Comm& comm);

private:
    struct Impl;
    explicit StoreWriter(std::unique_ptr<Impl>);
    std::unique_ptr<Impl> impl_;
};

struct ScoreMatrix;
struct MemoryStoreOptions;

/// Reads a finished or partial store. Opening is cheap, because no score is read. Thread-safe.
class PredictionStore {
public:
    /// `folder` is RUNS/<data set>/<model>. A store in parts is read as one store. Throws
    /// bad_input: no manifest, damaged, newer version, parts that do not belong together, a single
    /// part, missing items. Also throws bad_input: the dataset.json of another data set or with
    /// another number of classes.
    static PredictionStore open(const std::filesystem::path& folder);
    /// A store for scores that are already in memory: see memory_store.h.
    static PredictionStore in_memory(const ScoreMatrix& scores, const MemoryStoreOptions& options,
                                     std::vector<std::string>* notes = nullptr);
    ~PredictionStore();
    PredictionStore(PredictionStore&&) noexcept;
    PredictionStore& operator=(PredictionStore&&) noexcept;

    const StoreSpec& spec() const noexcept;
    /// for a store in memory: the name DATA SET/MODEL
    const std::filesystem::path& folder() const noexcept;
    const Dataset& dataset() const;  ///< ids, labels, attributes, classes (loaded on first use)
    std::uint64_t rows() const noexcept;
    std::uint32_t classes() const noexcept;
    std::size_t shards() const noexcept;
    bool complete() const noexcept;  ///< every shard exists
    bool finished() const noexcept;  ///< every shard existed at some time, and the writer marked
                                     ///< the store as finished
    /// For a store in parts: the parts that are not finished, in order.
    const std::vector<StorePart>& unfinished_parts() const noexcept;
    std::size_t missing_shards() const noexcept;
    /// The process that was writing the store when it was opened, "process 123", or "" if none was.
    /// Only the shards that existed then are read.
    const std::string& written_by() const noexcept;
    /// whether the shard existed when the store was opened
    bool has(std::size_t shard) const noexcept;
    bool is_in_memory() const noexcept;  ///< made by in_memory(), without a folder
    /// For a store in memory: whether each request copies the shard.
    bool makes_copies() const noexcept;

    /// A view of one shard, mapped and checked against its checksum on first use. Keep it alive
    /// while using its spans.
    class Shard {
    public:
        std::uint64_t first_row = 0;
        std::uint32_t rows = 0;
        std::span<const RowState> states() const;
        const std::vector<RowError>& errors() const;
        /// A hash of the bytes of the shard's images in order; "" for imports.
        const std::string& images_hash() const;
        /// The device, library and precision of the scores; "" if not recorded.
        const ComputedOn& computed_on() const;
        /// One file per row. Empty for imports and for older stores without records of
        /// images.
        std::span<const ImageFile> images() const;
        /// Only for StorageFormat::full_f32: the mapped floats, rows x classes, without a copy.
        /// Otherwise empty.
        std::span<const float> f32() const;
        /// The same for StorageFormat::full_f16: the bits of half floats.
        std::span<const std::uint16_t> f16() const;
        /// StorageFormat::full_*: rows [begin, begin + n) as floats.
        void read_rows(std::uint32_t begin, std::uint32_t n, std::span<float> out) const;
        /// StorageFormat::top_k: the row's stored entries, best first (ties by the lower class),
        /// and its log-sum-exp. For logits and log-probabilities, the probability of an entry is
        /// exp(score - log_sum_exp), with a log_sum_exp of 0 for log-probabilities. For
        /// probabilities it is the score itself, and log_sum_exp is 0. StorageFormat::label: one
        /// entry whose score is its probability; log_sum_exp is that probability too. Rows that are
        /// not ok have entries of class -1 and score NaN, and log_sum_exp NaN. Check states()
        /// first.
        std::span<const TopEntry> top(std::uint32_t row, double& log_sum_exp) const;
        std::span<const TopEntry> top(std::uint32_t row, float& log_sum_exp) const;
        struct Impl;
        std::shared_ptr<const Impl> impl;
    };
    /// Throws bad_input if the shard is missing, belongs to another store, or its bytes do not
    /// match the checksum. Throws busy if a writer has replaced it since the store was opened.
    Shard shard(std::size_t index) const;

private:
    struct Impl;
    explicit PredictionStore(std::unique_ptr<Impl>);
    std::unique_ptr<Impl> impl_;
};

/// A warning that the store is still being written, or that it was left unfinished with all its
/// shards. Otherwise "". Example: "`runs/val/m` is still being written by process 123: its numbers
/// are those of the shards that existed then".
std::string writer_warning(const PredictionStore& store);

/// The stores below a RUNS folder, ordered by data set and then model.
struct StoreFolders {
    struct Fault {
        std::filesystem::path folder;
        std::string why;
    };
    std::vector<std::filesystem::path> stores;
    std::vector<Fault>
        faults;  ///< folders that cannot be listed, or that have shards without a manifest.json
};

/// Searches for stores at or below `path` (a RUNS folder, one of its data sets, or one store).
/// Throws bad_input if it finds neither a store nor a fault.
StoreFolders look_for_stores(const std::filesystem::path& path);
/// Returns only the stores. Throws bad_input if there is none, or if there is a fault, because no
/// result should silently omit a store.
std::vector<std::filesystem::path> find_stores(const std::filesystem::path& path);
/// The stores at or below each path, in that order, each once ("runs" and "runs/val" overlap).
std::vector<std::filesystem::path> find_stores(const std::vector<std::filesystem::path>& paths);

/// Reads every byte of a store and of its data set's description. Returns one sentence for each
/// problem, or nothing if all is well. Problems are damaged and foreign files, and shards that a
/// finished store has lost. Shards that no run has written yet and leftovers of killed writers are
/// no problems.
std::vector<std::string> verify_store(const std::filesystem::path& folder);

}  // namespace assay
