#include "assay/store/join.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "core/file.h"
#include "core/file_stream.h"
#include "core/json_text.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/result_table.h"
#include "store/begun_rows.h"
#include "store/described_store.h"
#include "store/layout.h"
#include "store/manifest.h"
#include "store/parts.h"
#include "store/record.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using namespace store;
using nlohmann::json;

void move_file(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::rename(from, to, error);
    if (!error) return;
    throw Error(ErrorCode::io, fmt::format("cannot rename `{}` to `{}`: {}", from.string(),
                                           to.string(), error.message()));
}

bool is_same_file(const fs::path& one, const fs::path& other) {
    return identity_of_file(one) == identity_of_file(other);
}

/// Gives a file a second name, so that it always exists next to its record. Without hard links the
/// file is renamed, and readers do not find it until its record is moved.
void add_name(const fs::path& from, const fs::path& to) {
    if (!is_there(from) || (is_there(to) && is_same_file(from, to))) return;
    std::error_code error;
    fs::remove(to, error);
    fs::create_hard_link(from, to, error);
    if (error) move_file(from, to);
}

/// The devices of the parts, with equal neighbors merged: [{"parts": "1 to 8", "device": ...}].
json provenance_of_parts(const fs::path& folder, const std::vector<StorePart>& parts) {
    struct Run {
        StorePart first, last;
        json fields;
    };
    std::vector<Run> runs;
    for (const StorePart& part : parts) {
        const json all = json::parse(
            read_manifest(manifest_path(part_folder(folder, part))).spec.provenance_json);
        json fields = json::object();
        for (const char* key :
             {"device", "devices", "framework", "processor", "instruction_set", "assay", "commit"})
            if (all.contains(key)) fields[key] = all[key];
        if (!runs.empty() && runs.back().fields == fields) {
            runs.back().last = part;
        } else {
            runs.push_back({part, part, std::move(fields)});
        }
    }
    json out = json::array();
    for (Run& run : runs) {
        run.fields["first"] = run.first.number;
        run.fields["last"] = run.last.number;
        out.push_back(std::move(run.fields));
    }
    return out;
}

class Joining {
public:
    Joining(fs::path folder, const ProgressCallback& callback)
        : folder_(std::move(folder)), callback_(callback) {}

    JoinedStore run() {
        JoinedStore result{.folder = folder_, .rows = 0, .shards = 0, .parts = 0, .moved = 0};
        // The state is read after taking the lock, because another join may just have ended.
        if (is_there(parts_folder(folder_))) lock(lock_path(folder_));
        const std::vector<StorePart> parts = parts_begun(folder_);
        const bool begun = is_there(manifest_path(folder_));
        if (parts.empty() || (begun && read_manifest(manifest_path(folder_)).spec.part.of == 0)) {
            const Manifest whole = read_whole_manifest(folder_);
            result.rows = whole.spec.rows;
            result.shards = shard_count(whole.spec);
            if (is_there(parts_folder(folder_))) clear_up(parts);
            return result;
        }
        for (const StorePart& part : parts) lock(lock_path(part_folder(folder_, part)));
        check_all_there();
        check_each(parts);
        if (!begun) begin(parts);
        Manifest manifest = read_manifest(manifest_path(folder_));
        result.rows = manifest.spec.rows;
        result.shards = shard_count(manifest.spec);
        result.parts = manifest.spec.part.of;
        result.moved = move_shards(manifest);
        manifest.spec.part = {0, 0};
        manifest.finished = true;
        write_file_atomically(manifest_path(folder_), manifest_text(manifest));
        clear_up(parts);
        return result;
    }

private:
    void lock(const fs::path& path) {
        if (!is_there(path.parent_path())) return;
        if (auto own = FileLock::if_supported(path)) locks_.push_back(std::move(*own));
    }

    void check_all_there() const {
        const PredictionStore store = PredictionStore::open(folder_);
        const std::vector<StorePart>& missing = store.unfinished_parts();
        if (missing.empty() && store.complete()) return;
        refuse(fmt::format("`{}` lacks the part{} {}: run the command for {} (--part {}/{})",
                           folder_.string(), missing.size() == 1 ? "" : "s", text_of(missing),
                           missing.size() == 1 ? "it" : "them", missing.front().number,
                           missing.front().of));
    }

    /// Checks that each shard to move is the shard of its finished part, that its files exist, and
    /// that they can be renamed. After this, only the disk can stop the join.
    void check_each(const std::vector<StorePart>& parts) const {
        const std::uint64_t disk = identity_of_file(folder_).device;
        for (const StorePart& part : parts) {
            const fs::path own = part_folder(folder_, part);
            if (!is_there(manifest_path(own))) continue;  // the whole part has been moved
            if (identity_of_file(shards_folder(own)).device != disk) {
                refuse(
                    fmt::format("`{}` is on a different disk than the store, so files cannot be "
                                "renamed; copy it to that disk",
                                own.string()));
            }
            const Manifest manifest = read_manifest(manifest_path(own));
            const ShardRange range = shards_of(part, shard_count(manifest.spec));
            for (std::size_t shard = range.begin; shard < range.end; ++shard) {
                throw_if_stopped();
                if (!is_there(record_path(folder_, shard))) read_record(own, manifest, shard);
            }
        }
    }

    /// After this the store has its own manifest, which records that shards may be in parts.
    void begin(const std::vector<StorePart>& parts) const {
        Manifest whole = read_whole_manifest(folder_);
        json provenance = json::parse(whole.spec.provenance_json);
        provenance["parts"] = provenance_of_parts(folder_, parts);
        whole.spec.provenance_json = json_line(provenance);
        whole.finished = false;
        whole.records.clear();
        make_folders(shards_folder(folder_));
        write_file_atomically(manifest_path(folder_), manifest_text(whole));
    }

    /// Returns the number of moved shards, and adds all records to the manifest.
    std::size_t move_shards(Manifest& manifest) const {
        const std::size_t shards = shard_count(manifest.spec);
        manifest.records.clear();
        Progress progress;
        progress.total = shards;
        std::size_t moved = 0;
        for (std::size_t shard = 0; shard < shards; ++shard) {
            throw_if_stopped();
            const fs::path part =
                part_folder(folder_, part_of_shard(shard, shards, manifest.spec.part.of));
            const Manifest own{manifest.spec, false, {}};
            const bool there = is_there(record_path(folder_, shard));
            const std::vector<ShardFile> files = shard_files(manifest.spec, shard);
            if (!there) {
                for (const ShardFile& file : files)
                    add_name(shards_folder(part) / file.name, shards_folder(folder_) / file.name);
                move_file(record_path(part, shard), record_path(folder_, shard));
                ++moved;
            }
            manifest.records.push_back(read_record(folder_, own, shard).xxh128);
            // Removes the files' second names, and shards that were computed again.
            std::error_code ignored;  // remaining files are harmless
            fs::remove(record_path(part, shard), ignored);
            for (const ShardFile& file : files)
                fs::remove(shards_folder(part) / file.name, ignored);
            forget_rows(part, shard);
            progress.done = shard + 1;
            if (callback_) callback_(progress);
        }
        sync_folder(shards_folder(folder_));
        return moved;
    }

    /// Removes the remaining files of the parts, but only files from their writers.
    void clear_up(const std::vector<StorePart>& parts) const {
        std::error_code ignored;  // remaining files are harmless
        for (const StorePart& part : parts) {
            const fs::path own = part_folder(folder_, part);
            remove_stale_temporaries(own);
            remove_stale_temporaries(shards_folder(own));
            if (fs::remove(shards_folder(own), ignored), is_there(shards_folder(own))) continue;
            for (const fs::path& file : {manifest_path(own), lock_path(own), own})
                fs::remove(file, ignored);
        }
        remove_stale_temporaries(folder_);
        remove_stale_temporaries(shards_folder(folder_));
        fs::remove(parts_folder(folder_), ignored);
        sync_folder(folder_);
    }

    fs::path folder_;
    const ProgressCallback& callback_;
    std::vector<FileLock> locks_;
};

}  // namespace

std::string text_of(const std::vector<StorePart>& parts) {
    std::vector<std::string> runs;
    for (std::size_t begin = 0; begin < parts.size();) {
        std::size_t end = begin + 1;
        while (end < parts.size() && parts[end].number == parts[end - 1].number + 1) ++end;
        const std::uint32_t first = parts[begin].number, last = parts[end - 1].number;
        runs.push_back(first == last       ? fmt::format("{}", first)
                       : last == first + 1 ? fmt::format("{}, {}", first, last)
                                           : fmt::format("{} to {}", first, last));
        begin = end;
    }
    if (runs.empty()) return {};
    return fmt::format("{} of {}", fmt::join(runs, ", "), parts.front().of);
}

std::vector<JoinedStore> join_parts(const fs::path& path, const ProgressCallback& progress) {
    std::vector<JoinedStore> stores;
    for (const fs::path& folder : find_stores(path)) {
        with_note(fmt::format("joining the parts of `{}`", folder.string()),
                  [&] { stores.push_back(Joining(folder, progress).run()); });
    }
    return stores;
}

ResultType result_type(ResultOf<JoinedStore>) {
    static constexpr auto rows = describe_result<JoinedStore>(
        {.name = "JoinedStore", .columns = "store,rows,shards,parts=parts_or_whole,moved"},
        {
            part<&JoinedStore::folder>({.name = "store"}),
            part<&JoinedStore::rows>({}),
            part<&JoinedStore::shards>({}),
            part<&JoinedStore::parts>({.help = "Number of parts; 0: it was not in parts"}),
            part<&JoinedStore::moved>({.help = "Shards that this call renamed"}),
            part({.name = "parts_or_whole", .only_csv = true},
                 [](const JoinedStore& store) {
                     return store.parts == 0 ? json("whole already") : json(store.parts);
                 }),
        });
    return rows;
}

ResultType result_type(ResultOf<JoinResult>) {
    static constexpr auto rows = describe_result<JoinResult>(
        {.name = "JoinResult", .help = "What `assay join` prints", .schema = "assay.join/1"},
        {part<&JoinResult::stores>({})});
    return rows;
}

Report report_of(const std::vector<JoinedStore>& stores) {
    Report report;
    report.records = table_of(stores);
    report.sections.push_back({.title = "", .blocks = {report.records}, .sections = {}});
    report.result = json_of(JoinResult{stores});
    return report;
}

}  // namespace assay
