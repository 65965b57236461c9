#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "assay/error.h"
#include "assay/store/prediction_store.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "store/dataset_files.h"
#include "store/image_check.h"
#include "store/layout.h"
#include "store/manifest.h"
#include "store/parts.h"
#include "store/record.h"
#include "store/same_data.h"
#include "store/store_impl.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using namespace store;

/// Marks the shards with a record in `folder`, by listing it once.
void find_records(const fs::path& folder, std::vector<bool>& present) {
    for_each_name_in(shards_folder(folder), [&](std::string_view name) {
        const auto shard = shard_of_record(name);
        if (shard && *shard < present.size()) present[*shard] = true;
        return true;
    });
}

/// The shards in the store's own folder and in its parts' folders. A part counts only its own
/// shards.
std::vector<bool> find_records(const fs::path& folder, const StoreSpec& spec) {
    std::vector<bool> present(shard_count(spec), false);
    if (is_folder(shards_folder(folder))) find_records(folder, present);
    if (spec.part.of == 0) return present;
    for (const StorePart& part : parts_begun(folder)) {
        std::vector<bool> found(present.size(), false);
        const fs::path own = part_folder(folder, part);
        if (is_folder(shards_folder(own))) find_records(own, found);
        const ShardRange range = shards_of(part, present.size());
        for (std::size_t shard = range.begin; shard < range.end; ++shard)
            present[shard] = present[shard] || found[shard];
    }
    return present;
}

/// The parts that are not marked as finished. While a store is being joined, parts that still have
/// shards count as finished.
std::vector<StorePart> find_unfinished(const fs::path& folder, const StoreSpec& spec,
                                       const std::vector<bool>& present) {
    std::vector<StorePart> unfinished;
    if (spec.part.of == 0) return unfinished;
    for (std::uint32_t number = 1; number <= spec.part.of; ++number) {
        const StorePart part{number, spec.part.of};
        const ShardRange range = shards_of(part, present.size());
        const bool whole = std::all_of(present.begin() + static_cast<std::ptrdiff_t>(range.begin),
                                       present.begin() + static_cast<std::ptrdiff_t>(range.end),
                                       [](bool there) { return there; });
        const fs::path path = manifest_path(part_folder(folder, part));
        const bool joined = is_there(manifest_path(folder)) && whole;
        const bool finished = joined || (is_there(path) && read_manifest(path).finished);
        if (!whole || !finished) unfinished.push_back(part);
    }
    return unfinished;
}

/// A store must be next to its data set, because its rows would otherwise be assigned to other
/// items.
void check_dataset(const StoreSpec& spec, const DatasetRecord& there, const fs::path& folder) {
    const auto belongs = [&](const std::string& to, const std::string& beside) {
        refuse(fmt::format("the store `{}` belongs to {}; dataset.json next to it {}",
                           folder.string(), to, beside));
    };
    if (!same_items(spec, there)) {
        belongs(fmt::format("other items: {} with ids hash `{}`", spec.rows, spec.ids_hash),
                fmt::format("says {} with `{}`", there.rows, there.ids_hash));
    }
    if (!there.classes.empty() && there.classes.size() != spec.classes) {
        refuse(
            fmt::format("the store `{}` has scores of {} classes; dataset.json next to it names {}",
                        folder.string(), spec.classes, there.classes.size()));
    }
    if (spec.dataset_id.empty() || was_called(there, spec.dataset_id)) return;
    if (!same_name(spec, there)) {
        belongs(fmt::format("the data set `{}`", spec.dataset_name),
                fmt::format("is that of `{}`", there.name));
    }
    belongs(fmt::format("the data set with id {}", spec.dataset_id),
            fmt::format("has id {}: the same items with different labels, attributes or classes",
                        there.id));
}

/// Never 0.
std::uint64_t first_bits(std::string_view hash) {
    return image_file(0, hash).hash | 1U;
}

std::string writer_of(const fs::path& folder) {
    std::string who = lock_holder(lock_path(folder));
    if (!who.empty() || !is_folder(parts_folder(folder))) return who;
    for (const StorePart& part : parts_begun(folder)) {
        who = lock_holder(lock_path(part_folder(folder, part)));
        if (!who.empty()) return fmt::format("{} (part {})", who, part_text(part));
    }
    return {};
}

/// The states of all manifests that describe a store: its own and its parts' manifests.
std::vector<FileState> manifest_states(const fs::path& folder) {
    std::vector<FileState> states = {state_of_file(manifest_path(folder))};
    for (const StorePart& part : parts_begun(folder))
        states.push_back(state_of_file(manifest_path(part_folder(folder, part))));
    return states;
}

WriterMarks writer_marks(const fs::path& folder, const StoreSpec& spec, std::size_t shard) {
    const fs::path home = shard_home(folder, spec, shard);
    return {state_of_file(manifest_path(folder)), state_of_file(manifest_path(home)),
            state_of_file(record_path(home, shard))};
}

/// Returns "" if there is no record.
std::string record_hash_now(const fs::path& folder, std::size_t shard) {
    try {
        return hash_text(read_text(record_path(folder, shard)));
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        return {};
    }
}

/// True if `now` is still the manifest that was read, or its finished form.
bool still_is(Manifest now, const Manifest& manifest) {
    now.spec.dataset_id = manifest.spec.dataset_id;  // open() has set the current id
    return manifest_text({now.spec, false, {}}) == manifest_text({manifest.spec, false, {}}) &&
           (!manifest.finished || (now.finished && now.records == manifest.records));
}

}  // namespace

PredictionStore::PredictionStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PredictionStore::~PredictionStore() = default;
PredictionStore::PredictionStore(PredictionStore&&) noexcept = default;
PredictionStore& PredictionStore::operator=(PredictionStore&&) noexcept = default;

PredictionStore PredictionStore::open(const fs::path& folder) {
    return with_note(fmt::format("opening the store `{}`", folder.string()), [&] {
        auto impl = std::make_unique<Impl>();
        impl->folder = absolute_path(folder);
        if (!impl->folder.has_filename()) impl->folder = impl->folder.parent_path();
        if (!is_store_folder(impl->folder)) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("`{}` is not a prediction store: it has no manifest.json; name "
                                    "RUNS/DATA_SET/MODEL, as `assay list RUNS` shows them",
                                    folder.string()));
        }
        impl->manifest = read_whole_manifest(impl->folder);
        if (!impl->manifest.finished && (impl->written_by = writer_of(impl->folder)).empty())
            impl->manifest = read_whole_manifest(impl->folder);  // it may be finished now
        StoreSpec& spec = impl->manifest.spec;
        if (spec.part.number > 0) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("`{}` is part {} of the store `{}`: name that one",
                                    folder.string(), part_text(spec.part),
                                    impl->folder.parent_path().parent_path().string()));
        }
        const DatasetRecord there = read_dataset_record(impl->folder.parent_path());
        check_dataset(spec, there, folder);
        // Uses current names, because a newer class list has priority.
        const auto call_as_now = [&](StoreSpec& called) {
            if (!called.dataset_id.empty()) called.dataset_id = there.id;
        };
        call_as_now(spec);
        impl->present = find_records(impl->folder, spec);
        impl->unfinished = find_unfinished(impl->folder, spec, impl->present);
        PredictionStore opened(std::move(impl));
        // A writer may have begun since the manifest was read, and even finished.
        constexpr int most_tries = 10;
        for (int tries = 0; opened.finished() && !opened.complete() && tries < most_tries;
             ++tries) {
            Impl& now = *opened.impl_;
            const std::vector<FileState> listed = manifest_states(now.folder);
            now.manifest = read_whole_manifest(now.folder);
            call_as_now(now.manifest.spec);
            if (!now.manifest.finished) {
                now.written_by = writer_of(now.folder);
                break;
            }
            now.present = find_records(now.folder, now.manifest.spec);
            now.unfinished = find_unfinished(now.folder, now.manifest.spec, now.present);
            if (manifest_states(now.folder) == listed) break;
        }
        opened.impl_->verified =
            std::make_unique<std::atomic<std::uint64_t>[]>(opened.impl_->present.size());
        return opened;
    });
}

const StoreSpec& PredictionStore::spec() const noexcept {
    return impl_->manifest.spec;
}

const fs::path& PredictionStore::folder() const noexcept {
    return impl_->folder;
}

const Dataset& PredictionStore::dataset() const {
    const std::lock_guard guard(impl_->mutex);
    if (!impl_->dataset) impl_->dataset = load_dataset(impl_->folder.parent_path());
    return *impl_->dataset;
}

std::uint64_t PredictionStore::rows() const noexcept {
    return spec().rows;
}

std::uint32_t PredictionStore::classes() const noexcept {
    return spec().classes;
}

std::size_t PredictionStore::shards() const noexcept {
    return impl_->present.size();
}

bool PredictionStore::complete() const noexcept {
    return missing_shards() == 0;
}

bool PredictionStore::finished() const noexcept {
    return impl_->manifest.finished;
}

const std::vector<StorePart>& PredictionStore::unfinished_parts() const noexcept {
    return impl_->unfinished;
}

std::size_t PredictionStore::missing_shards() const noexcept {
    return static_cast<std::size_t>(
        std::count(impl_->present.begin(), impl_->present.end(), false));
}

const std::string& PredictionStore::written_by() const noexcept {
    return impl_->written_by;
}

bool PredictionStore::is_in_memory() const noexcept {
    return impl_->memory != nullptr;
}

bool PredictionStore::makes_copies() const noexcept {
    return impl_->memory && impl_->memory->makes_copies();
}

bool PredictionStore::has(std::size_t shard) const noexcept {
    return shard < shards() && impl_->present[shard];
}

std::shared_ptr<const PredictionStore::Shard::Impl> PredictionStore::Impl::load(
    std::size_t index) const {
    const StoreSpec& spec = manifest.spec;
    auto loaded = std::make_shared<Shard::Impl>(spec);
    const fs::path home = shard_home(folder, spec, index);
    loaded->record = read_record(home, manifest, index);
    const std::uint64_t record_hash = first_bits(loaded->record.xxh128);
    const std::uint64_t before = verified[index].load(std::memory_order_acquire);
    const bool verify = before == 0;
    if (!verify && before != record_hash) throw Error(ErrorCode::busy, replaced_text(index));
    const std::vector<ShardFile> files = shard_files(spec, index);
    for (std::size_t i = 0; i < files.size(); ++i) {
        const FileRecord& recorded = loaded->record.files[i];
        const MappedFile& map = loaded->maps.emplace_back(shards_folder(home) / files[i].name);
        const std::string header = files[i].header();
        if (map.bytes().size() != recorded.bytes || !map.text().starts_with(header)) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("`{}` is not the array that is recorded", files[i].name));
        }
        if (verify) {
            const std::string found = hash_bytes(map.bytes());
            if (found != recorded.xxh128) {
                throw Error(
                    ErrorCode::bad_input,
                    fmt::format("`{}` is damaged: its checksum is {}, but {} is recorded; {}",
                                files[i].name, found, recorded.xxh128, shard_remedy(home, index)));
            }
        }
        loaded->data.push_back(map.bytes().subspan(header.size()));
    }
    if (verify && (spec.storage == StorageFormat::top_k || spec.storage == StorageFormat::label))
        loaded->check_entries();
    // A writer removes the record before it replaces the shard's files.
    if (!verify && record_hash_now(home, index) != loaded->record.xxh128)
        throw Error(ErrorCode::busy, replaced_text(index));
    verified[index].store(record_hash, std::memory_order_release);
    return loaded;
}

std::string PredictionStore::Impl::replaced_text(std::size_t index) const {
    const std::string writer = writer_of(folder);
    if (writer.empty()) {
        return fmt::format(
            "the store `{}` was written to while it was read: shard {} of it was replaced; rerun "
            "the command",
            folder.string(), index);
    }
    return fmt::format(
        "the store `{}` is still being written by {}, and shard {} of it was replaced meanwhile; "
        "rerun the command when the writer has ended",
        folder.string(), writer, index);
}

bool PredictionStore::Impl::is_untouched_since(const WriterMarks& before, std::size_t index) const {
    Manifest now;
    try {
        now = read_whole_manifest(folder);
    } catch (const Error&) {
        return false;
    }
    // Only a finished store must have every record.
    return still_is(now, manifest) && (before.record != FileState{} || now.finished) &&
           writer_marks(folder, manifest.spec, index) == before;
}

std::shared_ptr<const PredictionStore::Shard::Impl> PredictionStore::Impl::load_unless_written(
    std::size_t index) const {
    try {
        return load(index);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
    }
    // A second read distinguishes damage from a shard that was being replaced.
    const WriterMarks before = writer_marks(folder, manifest.spec, index);
    try {
        return load(index);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        if (is_untouched_since(before, index)) throw;  // damaged, even if a writer is active
        throw Error(ErrorCode::busy, replaced_text(index));
    }
}

PredictionStore::Shard PredictionStore::shard(std::size_t index) const {
    if (index >= shards()) {
        throw Error(ErrorCode::internal,
                    fmt::format("shard {} does not exist; there are {}", index, shards()));
    }
    if (!impl_->present[index]) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("shard {} of {} of the store `{}` is missing; rerun the command that "
                        "made it to resume",
                        index, shards(), impl_->folder.string()));
    }
    Shard shard;
    shard.first_row = shard_begin(spec(), index);
    shard.rows = shard_size(spec(), index);
    if (impl_->memory) {
        shard.impl = impl_->memory->load(index);
        return shard;
    }
    shard.impl = with_note(fmt::format("reading shard {} of `{}`", index, impl_->folder.string()),
                           [&] { return impl_->load_unless_written(index); });
    return shard;
}

std::string writer_warning(const PredictionStore& store) {
    if (store.written_by().empty()) {
        if (store.finished() || !store.complete()) return {};
        return fmt::format(
            "`{}` is unfinished although it has all its shards: rerun the command that made it to "
            "check them",
            store.folder().string());
    }
    return fmt::format("`{}` is still being written by {}; the results cover the shards so far",
                       store.folder().string(), store.written_by());
}

std::string describe(const ComputedOn& on) {
    std::string text;
    for (const std::string* part : {&on.device, &on.framework, &on.precision}) {
        if (!part->empty()) text += (text.empty() ? "" : ", ") + *part;
    }
    return text;
}

}  // namespace assay
