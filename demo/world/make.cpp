#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/image/encode.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/json_limits.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "demo/world/crowd.h"
#include "demo/world/sets.h"
#include "demo/world/truth.h"

namespace assay {

using namespace world;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t block = 50;
constexpr std::string_view lock_name = ".world.lock";

nlohmann::json describe(const WorldSpec& spec) {
    return {{"format", "assay-world-2"},
            {"seed", spec.seed},
            {"size", name_of(spec.size)},
            {"side", spec.side},
            {"multi_side", spec.multi_side}};
}

void check(const WorldSpec& spec) {
    const auto within = [](const char* what, int value, int low, int high) {
        if (value < low || value > high) {
            throw Error(ErrorCode::usage,
                        fmt::format("{} of a world is {} pixels; allowed: {} to {}", what, value,
                                    low, high));
        }
    };
    within("side", spec.side, 32, 512);
    within("multi_side", spec.multi_side, 64, 1024);
    if (spec.folder.empty()) throw Error(ErrorCode::usage, "a world needs a folder");
}

/// Checks that the folder is missing, empty, or a data set of the same spec, so that no other file
/// is changed. Returns true if it is a data set.
bool examine(const WorldSpec& spec) {
    if (!is_there(spec.folder)) return false;
    const fs::path mark = spec.folder / "world.json";
    if (is_there(mark)) {
        const std::string text = read_text(mark, 1 << 16);
        nlohmann::json there;
        try {
            there = parse_json(text, 8);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input) throw;
        }
        if (!there.is_object()) {
            throw Error(ErrorCode::usage,
                        fmt::format("{} is not the description of a world", mark.string()));
        }
        const auto wanted = describe(spec);
        for (const auto& [key, value] : wanted.items()) {
            const auto found = there.find(key);
            if (found != there.end() && *found == value) continue;
            throw Error(
                ErrorCode::usage,
                fmt::format("{} holds a world with {} {}, not {}: use another folder",
                            spec.folder.string(), key,
                            found == there.end() ? "missing" : found->dump(), value.dump()));
        }
        return true;
    }
    std::error_code error;
    fs::directory_iterator entry(spec.folder, error);
    for (const fs::directory_iterator end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (name == lock_name || (name.starts_with(".world.json.") && is_stale_temporary(name)))
            continue;
        throw Error(
            ErrorCode::usage,
            fmt::format("{} is neither empty nor a world (it holds `{}`): use another folder",
                        spec.folder.string(), name));
    }
    if (error) {
        throw Error(ErrorCode::io, fmt::format("cannot list the folder {}: {}",
                                               spec.folder.string(), error.message()));
    }
    return false;
}

void claim(const WorldSpec& spec) {
    if (examine(spec)) return;
    write_file_atomically(spec.folder / "world.json", describe(spec).dump(2) + "\n");
}

void write_plainly(const fs::path& path, std::span<const std::byte> bytes) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out)
        throw Error(ErrorCode::io,
                    fmt::format("cannot write `{}`: {}", path.string(), std::strerror(errno)));
}

class Maker {
public:
    Maker(const WorldSpec& spec, const ProgressCallback& progress, int threads)
        : plan_{.spec = spec, .replicated = {}},
          progress_(progress),
          threads_(resolve_threads(threads)) {}

    void run() {
        for (const SetRow& row : set_rows()) state_.total += count_of(row, plan_.spec.size);
        const Replication replication = replicate(plan_);
        for (const SetRow& row : set_rows()) make(row);
        finish(replication);
    }

private:
    void report(std::string_view set, std::size_t done, bool skipped) {
        const std::lock_guard hold(mutex_);
        state_.step = set;
        state_.done += done;
        if (skipped) state_.skipped += done;
        if (progress_) progress_(state_);
    }

    /// Images are not synced one by one. So after a crash of the whole machine, some may be missing
    /// or empty although the truth file exists.
    bool is_whole(const SetRow& row, const fs::path& folder) const {
        const auto is_there = [](const fs::path& file) {
            std::error_code problem;
            return fs::file_size(file, problem) > 0 && !problem;
        };
        for (std::size_t i = 0; i < count_of(row, plan_.spec.size); ++i) {
            const Recipe recipe = row.recipe(plan_, i);
            if (!is_there(folder / recipe.path)) return false;
            if (row.annotations && !is_there(folder / annotation_path(recipe))) return false;
        }
        return row.labels == LabelsCsv::none || is_there(folder / "labels.csv");
    }

    void make(const SetRow& row) {
        const std::size_t count = count_of(row, plan_.spec.size);
        const fs::path truth = plan_.spec.folder / "truth" / (std::string(row.name) + ".csv");
        const fs::path folder = plan_.spec.folder / "images" / row.name;
        if (is_there(truth) && is_whole(row, folder)) return report(row.name, count, true);
        report(row.name, 0, false);
        // Images are written in place, so only a finished set may be marked as complete.
        std::error_code problem;
        fs::remove(truth, problem);
        if (problem) {
            throw Error(ErrorCode::io,
                        fmt::format("cannot remove `{}`: {}", truth.string(), problem.message()));
        }
        make_folders(folder);
        for (const ClassRow& cls : classes()) {
            if (row.class_folders) make_folders(folder / cls.id);
        }
        if (row.annotations) make_folders(folder / "Annotations");
        const std::size_t blocks = (count + block - 1) / block;
        std::vector<SetText> texts(blocks);
        parallel_blocks(blocks, threads_, [&](std::size_t b) {
            throw_if_stopped();
            Painter painter;
            Image image;
            const std::size_t end = std::min(count, (b + 1) * block);
            for (std::size_t i = b * block; i < end; ++i) {
                const Recipe recipe = row.recipe(plan_, i);
                painter.paint(recipe.scene, image);
                write_plainly(folder / recipe.path, encode_png(image));
                if (row.annotations) {
                    const std::string xml = annotation(recipe, painter.seen());
                    write_plainly(folder / annotation_path(recipe), std::as_bytes(std::span(xml)));
                }
                texts[b].add(recipe, painter.seen());
            }
            report(row.name, end - b * block, false);
        });
        SetText all;
        for (const SetText& text : texts) all.append(text);
        if (row.labels != LabelsCsv::none)
            write_file_atomically(folder / "labels.csv", all.labels_csv(row.labels));
        make_folders(truth.parent_path());
        write_file_atomically(truth, all.truth_csv());
    }

    void finish(const Replication& replication) {
        const fs::path& folder = plan_.spec.folder;
        const fs::path truth = folder / "truth";
        std::string ids;
        for (const ClassRow& row : classes()) ids += std::string(row.id) + "\n";
        once(folder / "classes.txt", [&] { return ids; });
        once(folder / "hierarchy.json", [&] { return world_hierarchy().dump(2) + "\n"; });
        once(truth / "annotators.csv", [&] { return annotators_csv(plan_); });
        once(truth / "selectors.csv", [&] { return selectors_csv(plan_); });
        once(truth / "matching.csv", [&] { return matching_csv(replication); });
        for (const std::string set : {"v1", "v2", "multi"}) {
            throw_if_stopped();
            once(truth / ("votes-" + set + ".csv"), [&] { return votes_csv(plan_, set_row(set)); });
        }
        const fs::path first = truth / "selections-v1.csv", second = truth / "selections-v2.csv";
        if (!is_there(first) || !is_there(second)) {
            const SelectionsText text = selections_csv(plan_);
            write_file_atomically(first, text.v1);
            write_file_atomically(second, text.v2);
        }
        if (!is_there(folder / "world.png"))
            save_png(contact_sheet(plan_.spec), folder / "world.png");
    }

    template <class Text>
    void once(const fs::path& path, const Text& text) {
        if (!is_there(path)) write_file_atomically(path, text());
    }

    Plan plan_;
    const ProgressCallback& progress_;
    int threads_;
    std::mutex mutex_;
    Progress state_;
};

}  // namespace

void make_world(const WorldSpec& spec, const ProgressCallback& progress, int threads) {
    check(spec);
    examine(spec);  // before the lock, so that a refused folder is unchanged
    make_folders(spec.folder);
    const FileLock lock(spec.folder / lock_name);
    claim(spec);
    for (const char* folder : {"", "truth"}) remove_stale_temporaries(spec.folder / folder);
    Maker(spec, progress, threads).run();
}

}  // namespace assay
