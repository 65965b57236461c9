#include <fmt/format.h>

#include <set>

#include "assay/error.h"
#include "assay/store/prediction_store.h"
#include "core/paths.h"
#include "core/shell_word.h"
#include "store/layout.h"
#include "store/parts.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

bool holds_shards(const fs::path& folder) {
    const fs::path shards = store::shards_folder(folder);
    return is_folder(shards) && !is_empty_folder(shards);
}

/// The store, if `path` is the folder of its parts or a part.
fs::path store_of_parts(const fs::path& path) {
    fs::path folder = absolute_path(path);
    if (!folder.has_filename()) folder = folder.parent_path();
    if (store::part_named(folder.filename().string())) folder = folder.parent_path();
    const bool parts = folder.filename() == "parts" && store::holds_parts(folder.parent_path());
    return parts ? folder.parent_path() : path;
}

/// Adds `folder` if it is a store. Otherwise adds the stores at most `depth` folders below it.
void look_into(const fs::path& folder, int depth, StoreFolders& found) {
    std::vector<fs::path> inside;
    try {
        if (store::is_store_folder(folder)) {
            found.stores.push_back(folder);
        } else if (holds_shards(folder)) {
            // A new store has its manifest before its first shard.
            if (store::is_store_folder(folder)) {
                found.stores.push_back(folder);
            } else {
                found.faults.push_back(
                    {folder, "there are shards, but no manifest.json that describes them"});
            }
        } else if (depth > 0) {
            inside = store::subfolders(folder);
        }
    } catch (const Error& error) {
        found.faults.push_back({folder, error.what()});
    }
    for (const fs::path& child : inside) look_into(child, depth - 1, found);
}

}  // namespace

StoreFolders look_for_stores(const fs::path& path) {
    if (!is_folder(path)) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("`{}` is not a folder of prediction stores; make one with `assay predict "
                        "--out {}` or `assay import --out {}`",
                        path.string(), shell_word(path.string()), shell_word(path.string())));
    }
    StoreFolders found;
    // "RUNS/val/resnet50/parts" and each of its parts mean the store "RUNS/val/resnet50".
    look_into(store_of_parts(path), 2, found);
    if (found.stores.empty() && found.faults.empty()) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format(
                "no prediction store in `{}`: a store is a folder with a manifest.json, at "
                "DATA_SET/MODEL below it; make stores with `assay predict` or `assay import`",
                path.string()));
    }
    return found;
}

std::vector<fs::path> find_stores(const fs::path& path) {
    StoreFolders found = look_for_stores(path);
    if (!found.faults.empty()) {
        const StoreFolders::Fault& first = found.faults.front();
        throw Error(
            ErrorCode::bad_input,
            fmt::format("`{}` cannot be used: {}; repair it, or name the other stores one by one",
                        first.folder.string(), first.why));
    }
    return std::move(found.stores);
}

std::vector<fs::path> find_stores(const std::vector<fs::path>& paths) {
    std::vector<fs::path> stores;
    std::set<fs::path> seen;
    for (const fs::path& path : paths) {
        for (fs::path& folder : find_stores(path)) {
            std::error_code error;
            fs::path whole = fs::weakly_canonical(folder, error);
            if (seen.insert(error ? folder : std::move(whole)).second)
                stores.push_back(std::move(folder));
        }
    }
    return stores;
}

}  // namespace assay
