// The prediction store: scores of one classifier on one data set, in checksummed shards. Format:
// docs/formats.md.
//
//   RUNS/<data set>/dataset.json, items.csv          what the rows are (shared by the models)
//   RUNS/<data set>/<model>/manifest.json            what the numbers are and where they come from
//   RUNS/<data set>/<model>/shards/000000.npy        scores of rows [0, shard_rows)
//   RUNS/<data set>/<model>/shards/000000.json       checksum, row states and errors; written last:
//   it commits the shard RUNS/<data set>/<model>/lock                     held while a writer works
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

/// How much of each row is stored.
enum class StorageFormat {
    full_f32,  ///< C floats per row
    full_f16,  ///< C half floats per row
    top_k,  ///< k best (class, score) and log-sum-exp of the row, so that their probabilities stay
            ///< exact
    label,  ///< arg-max class and its probability
};
std::string_view name_of(StorageFormat);
/// "full_f32", "full_f16", "top_k", "label". Throws usage with the known names.
StorageFormat storage_format_named(std::string_view);
/// As people ask for it: "full" or "f32", "f16", "topK" ("top5", ...), "label".
struct StorageChoice {
    StorageFormat storage = StorageFormat::full_f32;
    std::uint32_t top_k = 0;  ///< with StorageFormat::top_k
};
/// Throws usage with what is allowed.
StorageChoice storage_choice_named(std::string_view);

enum class RowState : std::uint8_t { ok = 0, unreadable = 1, not_finite = 2 };

/// What the file of a row's image was when it was read: enough to know it again.
struct ImageFile {
    std::uint64_t bytes = 0;
    std::uint64_t hash = 0;  ///< the first 16 hex digits of what `xxh128sum` prints
    /// What decoding left aside of it (src/image/file_facts.h). It follows from the bytes, and
    /// stores of before it was recorded have 0.
    std::uint8_t left_aside = 0;
    bool operator==(const ImageFile& other) const {
        return bytes == other.bytes && hash == other.hash;
    }
    /// False: it could not be read.
    bool known() const noexcept { return bytes != 0 || hash != 0; }
};

/// What computed a shard's scores: bits are promised for one kind of device, one library and one
/// precision.
struct ComputedOn {
    std::string device;          ///< "cpu", "cuda (NVIDIA H100 80GB HBM3)"
    std::string framework;       ///< "LibTorch 2.6.0"
    std::string precision = "";  ///< "fp16"; "": fp32
    bool operator==(const ComputedOn&) const = default;
    bool known() const noexcept { return !device.empty() || !framework.empty(); }
};
/// "cuda (NVIDIA H100 80GB HBM3), LibTorch 2.6.0, fp16"; "" where it is not known.
std::string describe(const ComputedOn& on);

struct RowError {
    std::uint64_t row;  ///< of the store
    RowState state;
    std::string message;
};

/// Data sets and models give folders their names. Throws bad_input unless 1 to 200 bytes, without
/// '/' and control characters, not beginning with '.'; `what` is "model" or "data set".
void check_folder_name(std::string_view what, std::string_view name);
/// A name that passes, made from any text: "timm/resnet50.a1_in1k" gives "timm_resnet50.a1_in1k".
std::string folder_name_from(std::string_view text);

/// Part `number` (from 1) of `of` of a store; {0, 0}: all of it.
struct StorePart {
    std::uint32_t number = 0, of = 0;
    bool operator==(const StorePart&) const = default;
};
/// "7/100". Throws usage: not two whole numbers, number 0, or above `of`, which is at most 100,000.
StorePart parse_part(std::string_view text);

/// Everything fixed when a store is begun. Two writers may resume one another when they agree on
/// all of it but the provenance; a batch_size or shard_rows of 0 agrees with what is recorded.
struct StoreSpec {
    std::string dataset_name;
    std::string model_name;
    std::uint64_t rows = 0;
    std::uint32_t classes = 0;
    ScoreKind kind = ScoreKind::logits;
    StorageFormat storage = StorageFormat::full_f32;
    std::uint32_t top_k = 0;  ///< with StorageFormat::top_k
    std::uint32_t shard_rows =
        0;  ///< 0: chosen so that a shard is about 4 MiB, a multiple of batch_size
    std::uint32_t batch_size =
        0;  ///< rows that went through the classifier together; 0: not known (imports)
    std::string ids_hash;         ///< Dataset::ids_fingerprint()
    std::string model_hash;       ///< hash_file of the model, or of the imported file
    std::string preprocess_hash;  ///< "" for imports
    std::string import_hash;      ///< of imports: which row of the file each item has, and the
                                  ///< classes of its columns; else ""
    std::string provenance_json;  ///< JSON object: command, versions, device, resolved model spec,
                                  ///< preprocessing, ...
    /// Both are worked out when the store is begun, and name it in each of its files; "" in stores
    /// of before files did.
    std::string dataset_id;  ///< of the names, ids, labels, attributes and classes of the items
    std::string id;          ///< of `dataset_id`, `decoder` and all of the above but the provenance
    /// What a writer writes; not part of what tells stores apart. Of a store that is read: {0, n}
    /// where it lies in n parts, or some of them.
    StorePart part;
    /// Which version of Assay's decoder made pixels of the images (src/image/decoder_version.h); 0:
    /// before there were versions, and imports. A writer goes on with the work of a former version
    /// where it is the same for these images.
    std::uint32_t decoder = 0;
};

/// One of the stored entries of a row of a reduced store.
struct TopEntry {
    std::int32_t cls;
    float score;
};

/// Writes (or goes on writing) one store. Not copyable; write_shard may be called from many threads
/// for different shards.
class StoreWriter {
public:
    /// Begins a store under `runs`, or resumes the one there, in the format that it has. Writes
    /// dataset.json and items.csv when they are missing and checks them when they are not. Reads
    /// all of the shards that are there, and compares them with their checksums. Throws bad_input
    /// when one is damaged, when the store there was made from another model, preprocessing, data
    /// or options (each difference is named, with what to do), holds shards of another store, was
    /// written by a newer version, or is whole where a part is asked for, in parts where the whole
    /// is, or in another number of them, and when the data set has another number of classes than
    /// the scores; busy when another process writes it; io. `corruption`: what was done to each
    /// image of `dataset` before a classifier got it, a JSON object; "": nothing. Part of what
    /// tells data sets apart: stores of images that were corrupted otherwise, or not at all, never
    /// lie below one data set's folder.
    static StoreWriter open(const std::filesystem::path& runs, const StoreSpec& spec,
                            const Dataset& dataset, std::string_view corruption = {});
    /// The same by ranks that see one folder: the first opens the store, as above, and holds its
    /// lock; the others go by what it found, and look at nothing. Every rank calls share() before
    /// it writes, and finish(comm) after. Throws as open() does, on every rank.
    static StoreWriter open(const std::filesystem::path& runs, const StoreSpec& spec,
                            const Dataset& dataset, Comm& comm, std::string_view corruption = {});
    ~StoreWriter();
    StoreWriter(StoreWriter&&) noexcept;

    const StoreSpec& spec()
        const noexcept;  ///< with shard_rows (and, when resumed, batch_size) as recorded, the
                         ///< data set's name as dataset.json has it, and the ids
    const std::filesystem::path& folder() const noexcept;
    std::size_t shards() const noexcept;
    std::uint64_t first_row(std::size_t shard) const noexcept;
    std::uint32_t rows_in(std::size_t shard) const noexcept;
    /// Whether the shard is of this writer's part, and of its rank's share. Of shards that are
    /// there already the first rank has all.
    bool is_own(std::size_t shard) const noexcept;
    /// True when the shard was committed, by this or an earlier run (its record and bytes were
    /// checked on open).
    bool has(std::size_t shard) const;
    std::size_t missing() const;  ///< of its own shards
    std::uint64_t own_rows() const noexcept;
    /// What to know of the lock of the store, a sentence: that there is none, or that other
    /// machines do not see it; "": all is well.
    const std::string& lock_warning() const noexcept;
    /// Rows of the committed shards, from all runs, that are not ok, and the first of them with a
    /// message.
    struct BadRows {
        std::uint64_t count = 0;
        std::optional<RowError> first;
    };
    BadRows bad_rows() const;
    /// Rows of a committed shard whose images could not be read; empty for a shard that is missing.
    std::vector<std::uint64_t> unreadable_rows(std::size_t shard) const;
    /// Has a committed shard computed again: it counts as missing until write_shard replaces it. On
    /// the disk it stays until then, so that a run that is interrupted loses nothing.
    void redo(std::size_t shard);

    /// `scores`: rows_in(shard) x classes floats, row-major; rows that are not ok are ignored and
    /// stored as NaN. `states`: one per row. `images_hash`: over the bytes of the shard's images in
    /// order ("" for imports). `images`: one per row, or none. A row that claims to be ok but holds
    /// a NaN or an infinity (with full_f16 also a score above 65504) becomes not_finite, with an
    /// error that names the class and the score; but a logit or log-probability of -infinity is a
    /// probability of 0, where some class of the row has more. Reduces to the storage format,
    /// writes aside, syncs, renames. Throws io; internal when the shard is there already.
    void write_shard(std::size_t shard, std::span<const float> scores,
                     std::span<const RowState> states, std::span<const RowError> errors,
                     const std::string& images_hash, std::span<const ImageFile> images = {});
    /// The same from rows_in(shard) x k entries, the best k of each row, best first (k =
    /// spec().top_k, or 1 with StorageFormat::label): for scores of which no more is known. Only
    /// where a row's log-sum-exp is 0: probabilities and log-probabilities; and for
    /// ScoreKind::labels, with entries of score 1. A row with an entry that is not finite becomes
    /// not_finite, as above.
    void write_entries(std::size_t shard, std::span<const TopEntry> entries,
                       std::span<const RowState> states, std::span<const RowError> errors,
                       const std::string& images_hash);
    /// Marks the store, or the part, complete (every shard of it must be there) and releases the
    /// lock.
    void finish();

    /// Divides the shards that are missing among the ranks, in turn: of a store that was begun by
    /// any number of ranks.
    void share(Comm& comm);
    /// Waits until every rank has written its share, and finishes the store: on the first rank it
    /// is then as if one process had written it. A disk of the network may show files of other
    /// machines late; throws io when one is not seen within a minute, on every rank.
    void finish(Comm& comm);

private:
    struct Impl;
    explicit StoreWriter(std::unique_ptr<Impl>);
    std::unique_ptr<Impl> impl_;
};

struct ScoreMatrix;
struct MemoryStoreOptions;

/// Reads a finished or partial store. Cheap to open (no score is read); thread-safe.
class PredictionStore {
public:
    /// `folder` is RUNS/<data set>/<model>, in one piece or in parts, which are read as one store.
    /// Throws bad_input: no manifest, damaged, newer version, parts that do not belong together, a
    /// part alone, missing items, the dataset.json of another data set or with another number of
    /// classes.
    static PredictionStore open(const std::filesystem::path& folder);
    /// Of scores that are in memory already: see memory_store.h.
    static PredictionStore in_memory(const ScoreMatrix& scores, const MemoryStoreOptions& options,
                                     std::vector<std::string>* notes = nullptr);
    ~PredictionStore();
    PredictionStore(PredictionStore&&) noexcept;
    PredictionStore& operator=(PredictionStore&&) noexcept;

    const StoreSpec& spec() const noexcept;
    const std::filesystem::path& folder() const noexcept;  ///< in memory: DATA SET/MODEL, a name
    const Dataset& dataset() const;  ///< ids, labels, attributes, classes (loaded on first use)
    std::uint64_t rows() const noexcept;
    std::uint32_t classes() const noexcept;
    std::size_t shards() const noexcept;
    bool complete() const noexcept;  ///< every shard is there
    bool finished() const noexcept;  ///< every shard was there once, and the writer said so
    /// Of a store in parts: those that are not finished, in order.
    const std::vector<StorePart>& unfinished_parts() const noexcept;
    std::size_t missing_shards() const noexcept;
    /// Who was writing the store when it was opened, "process 123"; "" where nobody was. What is
    /// read are the shards that were there then.
    const std::string& written_by() const noexcept;
    bool has(std::size_t shard) const noexcept;  ///< the shard was there when the store was opened
    bool is_in_memory() const noexcept;          ///< in_memory() made it: it lies in no folder
    /// Of such a store: shards are copies, made whenever they are asked for.
    bool makes_copies() const noexcept;

    /// A view of one shard, mapped and verified against its checksum on first use. Keep it
    /// alive while using its spans.
    class Shard {
    public:
        std::uint64_t first_row = 0;
        std::uint32_t rows = 0;
        std::span<const RowState> states() const;
        const std::vector<RowError>& errors() const;
        /// Over the bytes of the shard's images in order; "" for imports.
        const std::string& images_hash() const;
        /// What computed the scores; "" where that is not recorded.
        const ComputedOn& computed_on() const;
        /// One per row; empty for imports and for stores of before images were recorded singly.
        std::span<const ImageFile> images() const;
        /// StorageFormat::full_f32 only: the mapped floats, rows x classes, no copy. Empty
        /// otherwise.
        std::span<const float> f32() const;
        /// Likewise with StorageFormat::full_f16: the bits of half floats.
        std::span<const std::uint16_t> f16() const;
        /// StorageFormat::full_*: rows [begin, begin + n) as floats.
        void read_rows(std::uint32_t begin, std::uint32_t n, std::span<float> out) const;
        /// StorageFormat::top_k: the row's stored entries, best first (of equal scores the lower
        /// class), and its log-sum-exp: the probability of an entry is exp(score - log_sum_exp) of
        /// logits; of log-probabilities likewise, with 0 for it; of probabilities it is the score
        /// itself (and log_sum_exp is 0). StorageFormat::label: one entry whose score is its
        /// probability; log_sum_exp is that probability, too. Rows that are not ok: entries of
        /// class -1 and score NaN, log_sum_exp NaN. Look at states() first.
        std::span<const TopEntry> top(std::uint32_t row, double& log_sum_exp) const;
        std::span<const TopEntry> top(std::uint32_t row, float& log_sum_exp) const;
        struct Impl;
        std::shared_ptr<const Impl> impl;
    };
    /// Throws bad_input when the shard is missing, belongs to another store, or its bytes do not
    /// match the checksum; busy when a writer has replaced it since the store was opened.
    Shard shard(std::size_t index) const;

private:
    struct Impl;
    explicit PredictionStore(std::unique_ptr<Impl>);
    std::unique_ptr<Impl> impl_;
};

/// "`runs/val/m` is still being written by process 123: its numbers are those of the shards that
/// were there", or that it was left unfinished with all its shards; "" else. For a warning.
std::string writer_warning(const PredictionStore& store);

/// What lies below a RUNS folder, ordered by data set then model.
struct StoreFolders {
    struct Fault {
        std::filesystem::path folder;
        std::string why;
    };
    std::vector<std::filesystem::path> stores;
    std::vector<Fault>
        faults;  ///< folders that cannot be listed, or hold shards without a manifest.json
};

/// Looks for stores below `path` (a RUNS folder, one of its data sets, or one store). Throws
/// bad_input when there is neither a store nor a fault.
StoreFolders look_for_stores(const std::filesystem::path& path);
/// The stores alone. Throws bad_input when there is none, or a fault: no result should leave a
/// store out in silence.
std::vector<std::filesystem::path> find_stores(const std::filesystem::path& path);
/// Those at or below each path, in that order, each once ("runs" and "runs/val" overlap).
std::vector<std::filesystem::path> find_stores(const std::vector<std::filesystem::path>& paths);

/// Reads every byte of a store and of its data set's description. One sentence for each problem
/// (damaged and foreign files, shards that a finished store has lost; shards that no run has
/// written yet and leftovers of killed writers are not problems); empty: all is well.
std::vector<std::string> verify_store(const std::filesystem::path& folder);

}  // namespace assay
