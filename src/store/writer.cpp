#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>

#include "assay/error.h"
#include "assay/store/prediction_store.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "store/begun_rows.h"
#include "store/begun_store.h"
#include "store/dataset_files.h"
#include "store/known_shards.h"
#include "store/layout.h"
#include "store/manifest.h"
#include "store/parts.h"
#include "store/record.h"
#include "store/reduce.h"
#include "store/shared_disk.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using namespace store;

/// Labels and scores must have the same number of classes. Otherwise a class number would be
/// ambiguous.
void check_class_count(const ClassList& classes, const StoreSpec& spec) {
    if (classes.empty() || classes.size() == spec.classes) return;
    throw Error(ErrorCode::bad_input,
                fmt::format("the data set `{}` has {} classes, but the scores of `{}` have {}: "
                            "pass a list of the model's classes with --classes FILE",
                            spec.dataset_name, classes.size(), spec.model_name, spec.classes));
}

}  // namespace

struct StoreWriter::Impl {
    fs::path folder;
    Manifest manifest;
    std::optional<FileLock> lock;
    bool ended = false;
    mutable std::mutex mutex;       // for all members below, and the manifest's finished mark
    std::vector<KnownShard> known;  // one per shard
    ShardRange part;
    std::vector<bool> share;  // by shard, true if it belongs to this rank; empty means all of
                              // the part
    ComputedOn computed_on;   // device and libraries of this writer
    std::string lock_warning;

    const StoreSpec& spec() const { return manifest.spec; }
    bool is_own(std::size_t shard) const {
        return part.contains(shard) && (share.empty() || share[shard]);
    }
    /// A finished store that is written again becomes unfinished until finish(), because the
    /// manifest's facts about its shards will change.
    void withdraw_finish();
    /// Registers the shards that other ranks have written.
    void find_those_of_others();
    /// Removes the record of a shard before its new files are written, so that a record never
    /// describes other files.
    void withdraw_record(std::size_t shard) const;
    /// Writes the shard's files and its record. `Scores` are floats or entries.
    template <class Scores>
    KnownShard commit(std::size_t shard, Scores scores, std::span<const RowState> states,
                      std::span<const RowError> errors, const std::string& images_hash,
                      std::span<const ImageFile> images) const;
    /// Checks the input, commits it, and updates the counts.
    template <class Scores>
    void take(std::size_t shard, Scores scores, std::size_t width, std::span<const RowState> states,
              std::span<const RowError> errors, const std::string& images_hash,
              std::span<const ImageFile> images);
};

void StoreWriter::Impl::withdraw_finish() {
    const std::lock_guard guard(mutex);
    if (!manifest.finished) return;
    const Manifest begun{manifest.spec, false, {}};
    write_file_atomically(manifest_path(folder), manifest_text(begun));
    manifest = begun;
}

void StoreWriter::Impl::withdraw_record(std::size_t shard) const {
    std::error_code error;
    fs::remove(record_path(folder, shard), error);
    if (error) {
        throw Error(ErrorCode::io,
                    fmt::format("cannot remove `{}`: {}", record_path(folder, shard).string(),
                                error.message()));
    }
}

void StoreWriter::Impl::find_those_of_others() {
    constexpr auto patience = std::chrono::seconds(60);
    const auto end = std::chrono::steady_clock::now() + patience;
    for (std::size_t shard = part.begin; shard < part.end; ++shard) {
        if (known[shard].state == ShardState::committed) continue;
        const fs::path path = record_path(folder, shard);
        while (!is_there(path)) {
            throw_if_stopped();
            if (std::chrono::steady_clock::now() > end) {
                throw Error(
                    ErrorCode::io,
                    fmt::format("`{}`, which another MPI process wrote, is not visible here after "
                                "{} s: check that all processes use the same folder",
                                path.string(), patience.count()));
            }
            // Opening a folder makes a network disk ask its server for the current entries.
            is_empty_folder(shards_folder(folder));
            if (!is_there(path)) std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        const ShardRecord record = read_record(folder, manifest, shard);
        known[shard] = {ShardState::committed, gaps_of(record, spec()), record.xxh128};
    }
}

StoreWriter::StoreWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StoreWriter::~StoreWriter() = default;
StoreWriter::StoreWriter(StoreWriter&&) noexcept = default;

StoreWriter StoreWriter::open(const fs::path& runs, const StoreSpec& spec, const Dataset& dataset,
                              std::string_view corruption) {
    check_folder_name("data set", spec.dataset_name);
    check_folder_name("model", spec.model_name);
    if (spec.rows != dataset.size()) {
        throw Error(ErrorCode::internal,
                    fmt::format("a store of {} rows for {} items", spec.rows, dataset.size()));
    }
    StoreSpec wanted = spec;
    if (wanted.ids_hash.empty()) wanted.ids_hash = dataset.ids_fingerprint();
    StoreSpec checked = wanted;  // reports invalid settings before anything is written
    if (checked.shard_rows == 0) checked.shard_rows = shard_rows_for(wanted);
    check_spec(checked);
    check_class_count(dataset.classes, wanted);

    auto impl = std::make_unique<Impl>();
    const fs::path dataset_folder = runs / spec.dataset_name;
    make_folders(dataset_folder);
    const DatasetRecord there =
        ensure_dataset(dataset_folder, spec.dataset_name, wanted.ids_hash, dataset, corruption);
    check_class_count(there.classes, wanted);
    wanted.dataset_name = there.name;  // the folder may have been renamed
    impl->folder = dataset_folder / spec.model_name;
    refuse_former_order(impl->folder, there, dataset, dataset_folder);
    wanted.dataset_id = id_of_begun(impl->folder, there);
    agree_with_store(impl->folder, wanted);
    if (wanted.part.of > 0) impl->folder = part_folder(impl->folder, wanted.part);
    make_folders(shards_folder(impl->folder));
    if (auto lock = FileLock::if_supported(lock_path(impl->folder)))
        impl->lock.emplace(std::move(*lock));
    impl->lock_warning = store::lock_warning(impl->folder, impl->lock.has_value());
    if (!impl->lock && wanted.part.of == 0) {
        throw Error(ErrorCode::io,
                    fmt::format("cannot lock `{}`: {}; parts need no locks (assay predict --part "
                                "1/1, then assay join)",
                                impl->folder.string(), impl->lock_warning));
    }
    impl->computed_on = computed_on_of(spec);
    remove_stale_temporaries(impl->folder);
    remove_stale_temporaries(shards_folder(impl->folder));
    impl->manifest = begin_or_resume(impl->folder, wanted);
    impl->part = shards_of(wanted.part, shard_count(impl->spec()));
    impl->known = find_committed(impl->folder, impl->manifest);
    mend_item_columns(there, dataset_folder);
    return StoreWriter(std::move(impl));
}

StoreWriter StoreWriter::open(const fs::path& runs, const StoreSpec& spec, const Dataset& dataset,
                              Comm& comm, std::string_view corruption) {
    std::optional<StoreWriter> opened;
    std::string text;
    agree(comm, [&] {
        if (comm.rank() != 0) return;
        opened.emplace(open(runs, spec, dataset, corruption));
        text = manifest_text(opened->impl_->manifest);
    });
    const std::vector<std::byte> all = comm.broadcast(std::as_bytes(std::span(text)), 0);
    agree(comm, [&] {
        if (comm.rank() == 0) return;
        auto impl = std::make_unique<Impl>();
        impl->manifest = parse_manifest({reinterpret_cast<const char*>(all.data()), all.size()});
        const StoreSpec& found = impl->spec();
        impl->folder = runs / found.dataset_name / found.model_name;
        if (found.part.of > 0) impl->folder = part_folder(impl->folder, found.part);
        // A network disk may not yet show what the first rank made.
        make_folders(shards_folder(impl->folder));
        impl->computed_on = computed_on_of(spec);
        impl->part = shards_of(found.part, shard_count(found));
        impl->known.resize(shard_count(found));
        opened.emplace(StoreWriter(std::move(impl)));
    });
    return std::move(*opened);
}

void StoreWriter::share(Comm& comm) {
    std::vector<std::uint64_t> missing;
    agree(comm, [&] {
        if (comm.rank() != 0) return;
        for (std::size_t s = impl_->part.begin; s < impl_->part.end; ++s) {
            if (!has(s)) missing.push_back(s);
        }
        if (!missing.empty()) impl_->withdraw_finish();
    });
    const std::vector<std::byte> all = comm.broadcast(std::as_bytes(std::span(missing)), 0);
    missing.resize(all.size() / sizeof(std::uint64_t));
    if (!all.empty()) std::memcpy(missing.data(), all.data(), all.size());

    const std::lock_guard guard(impl_->mutex);
    if (!missing.empty()) impl_->manifest.finished = false;
    impl_->share.assign(impl_->known.size(), comm.rank() == 0);
    for (std::size_t i = 0; i < missing.size(); ++i) {
        impl_->share[static_cast<std::size_t>(missing[i])] =
            static_cast<int>(i % static_cast<std::size_t>(comm.size())) == comm.rank();
    }
}

void StoreWriter::finish(Comm& comm) {
    comm.barrier();
    agree(comm, [&] {
        if (comm.rank() != 0) {
            impl_->ended = true;
            return;
        }
        impl_->share.clear();
        impl_->find_those_of_others();
        finish();
    });
}

const std::string& StoreWriter::lock_warning() const noexcept {
    return impl_->lock_warning;
}

const StoreSpec& StoreWriter::spec() const noexcept {
    return impl_->spec();
}

const fs::path& StoreWriter::folder() const noexcept {
    return impl_->folder;
}

std::size_t StoreWriter::shards() const noexcept {
    return shard_count(spec());
}

std::uint64_t StoreWriter::first_row(std::size_t shard) const noexcept {
    return shard_begin(spec(), shard);
}

std::uint32_t StoreWriter::rows_in(std::size_t shard) const noexcept {
    return shard < shards() ? shard_size(spec(), shard) : 0;
}

bool StoreWriter::has(std::size_t shard) const {
    const std::lock_guard guard(impl_->mutex);
    return impl_->known.at(shard).state == ShardState::committed;
}

std::size_t StoreWriter::missing() const {
    const std::lock_guard guard(impl_->mutex);
    std::size_t count = 0;
    for (std::size_t s = impl_->part.begin; s < impl_->part.end; ++s)
        count += impl_->is_own(s) && impl_->known[s].state != ShardState::committed ? 1 : 0;
    return count;
}

bool StoreWriter::is_own(std::size_t shard) const noexcept {
    return impl_->is_own(shard);
}

std::uint64_t StoreWriter::own_rows() const noexcept {
    std::uint64_t rows = 0;
    for (std::size_t s = impl_->part.begin; s < impl_->part.end; ++s)
        rows += impl_->is_own(s) ? rows_in(s) : 0;
    return rows;
}

template <class Scores>
KnownShard StoreWriter::Impl::commit(std::size_t shard, Scores scores,
                                     std::span<const RowState> states,
                                     std::span<const RowError> errors,
                                     const std::string& images_hash,
                                     std::span<const ImageFile> images) const {
    ShardRecord record;
    record.shard = shard;
    record.images_hash = images_hash;
    record.images.assign(images.begin(), images.end());
    record.states.assign(states.begin(), states.end());
    record.errors.assign(errors.begin(), errors.end());
    find_not_finite(spec(), scores, shard_begin(spec(), shard), record.states, record.errors);
    std::stable_sort(record.errors.begin(), record.errors.end(),
                     [](const RowError& a, const RowError& b) { return a.row < b.row; });

    const ShardData data = reduce(spec(), scores, record.states);
    const std::vector<ShardFile> files = shard_files(spec(), shard);
    withdraw_record(shard);
    std::vector<std::pair<fs::path, FileIdentity>> written;
    const auto write = [&](const fs::path& path, const auto& content) {
        written.emplace_back(path, write_file_atomically(path, content));
    };
    for (std::size_t i = 0; i < files.size(); ++i) {
        const std::string header = files[i].header();
        const std::span<const std::byte> parts[] = {std::as_bytes(std::span(header)),
                                                    data.files[i]};
        Hasher hasher;
        for (const auto piece : parts) hasher.add(piece);
        write(shards_folder(folder) / files[i].name,
              std::span<const std::span<const std::byte>>(parts));
        record.files.push_back(
            {files[i].name, header.size() + data.files[i].size(), hasher.digest()});
    }
    record.computed_on = computed_on;
    const std::string text = record_text(record, spec());
    write(record_path(folder, shard), std::string_view(text));
    // If two writers do not see each other's locks, the writer of the last record finds the other's
    // scores. So a record does not remain next to scores that it does not describe.
    for (const auto& [path, identity] : written) {
        if (identity_of_file(path) == identity) continue;
        withdraw_record(shard);
        throw Error(ErrorCode::busy,
                    fmt::format("another process writes `{}` at the same time, but its lock is not "
                                "visible here{}{}; stop one of them and rerun the command",
                                folder.string(), lock_warning.empty() ? "" : ": ", lock_warning));
    }
    return {ShardState::committed, gaps_of(record, spec()), hash_text(text)};
}

template <class Scores>
void StoreWriter::Impl::take(std::size_t shard, Scores scores, std::size_t width,
                             std::span<const RowState> states, std::span<const RowError> errors,
                             const std::string& images_hash, std::span<const ImageFile> images) {
    const std::uint64_t begin = shard_begin(spec(), shard);
    const std::uint32_t rows = shard < known.size() ? shard_size(spec(), shard) : 0;
    const bool errors_inside = std::all_of(errors.begin(), errors.end(), [&](const RowError& e) {
        return e.row >= begin && e.row < begin + rows;
    });
    const bool images_fit = images.empty() || images.size() == rows;
    if (rows == 0 || states.size() != rows || scores.size() != rows * width || !errors_inside ||
        !images_fit) {
        throw Error(
            ErrorCode::internal,
            fmt::format("shard {} was given {} states, {} scores and {} images, or errors of "
                        "other rows; it has {} rows of {}",
                        shard, states.size(), scores.size(), images.size(), rows, width));
    }
    {
        const std::lock_guard guard(mutex);
        if (ended) throw Error(ErrorCode::internal, "a shard was passed to a finished store");
        if (!is_own(shard)) {
            throw Error(
                ErrorCode::internal,
                fmt::format("shard {} was passed to the writer of part {}, or to the wrong rank",
                            shard, part_text(spec().part)));
        }
        if (known[shard].state != ShardState::missing) {
            throw Error(ErrorCode::internal, fmt::format("shard {} was passed twice", shard));
        }
        known[shard].state = ShardState::writing;
    }
    try {
        withdraw_finish();
        KnownShard committed = commit(shard, scores, states, errors, images_hash, images);
        {
            const std::lock_guard guard(mutex);
            known[shard] = std::move(committed);
        }
        forget_rows(folder, shard);
    } catch (...) {
        const std::lock_guard guard(mutex);
        known[shard].state = ShardState::missing;
        throw;
    }
}

void StoreWriter::write_shard(std::size_t shard, std::span<const float> scores,
                              std::span<const RowState> states, std::span<const RowError> errors,
                              const std::string& images_hash, std::span<const ImageFile> images) {
    impl_->take(shard, scores, spec().classes, states, errors, images_hash, images);
}

void StoreWriter::write_entries(std::size_t shard, std::span<const TopEntry> entries,
                                std::span<const RowState> states, std::span<const RowError> errors,
                                const std::string& images_hash) {
    const bool label = spec().storage == StorageFormat::label;
    if ((!label && spec().storage != StorageFormat::top_k) || spec().kind == ScoreKind::logits) {
        throw Error(ErrorCode::internal,
                    fmt::format("entries were passed to a store of {} of {}",
                                name_of(spec().storage), name_of(spec().kind)));
    }
    impl_->take(shard, entries, label ? 1 : spec().top_k, states, errors, images_hash, {});
}

StoreWriter::BadRows StoreWriter::bad_rows() const {
    const std::lock_guard guard(impl_->mutex);
    BadRows all;
    for (const KnownShard& shard : impl_->known) {
        all.count += shard.gaps.bad.count;
        if (!all.first) all.first = shard.gaps.bad.first;  // shards are in the order of their rows
    }
    return all;
}

std::vector<std::uint64_t> StoreWriter::unreadable_rows(std::size_t shard) const {
    const std::lock_guard guard(impl_->mutex);
    return impl_->known.at(shard).gaps.unreadable;
}

void StoreWriter::redo(std::size_t shard) {
    const std::lock_guard guard(impl_->mutex);
    if (impl_->known.at(shard).state != ShardState::committed) {
        throw Error(ErrorCode::internal,
                    fmt::format("shard {} must be computed again and is missing", shard));
    }
    impl_->known[shard] = {};
}

void StoreWriter::finish() {
    if (const std::size_t left = missing(); left != 0) {
        throw Error(ErrorCode::internal,
                    fmt::format("a store was finished with {} of {} shards missing", left,
                                impl_->part.size()));
    }
    if (!impl_->manifest.finished) {
        Manifest finished = impl_->manifest;
        finished.finished = true;
        if (!finished.spec.id.empty()) {
            for (const KnownShard& shard : impl_->known)
                finished.records.push_back(shard.record_hash);
        }
        write_file_atomically(manifest_path(impl_->folder), manifest_text(finished));
        impl_->manifest = std::move(finished);
    }
    impl_->lock.reset();
    impl_->ended = true;
}

}  // namespace assay
