#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "assay/store.h"
#include "store/dataset_files.h"
#include "store/layout.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

bool is_store(const fs::path& folder) {
    std::error_code error;
    return fs::is_regular_file(store::manifest_path(folder), error);
}

/// Folders inside `folder` in the byte order of their names; hidden ones left out.
std::vector<fs::path> subfolders(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        std::error_code ignored;
        if (it->is_directory(ignored) && !it->path().filename().string().starts_with('.')) found.push_back(it->path());
    }
    std::sort(found.begin(), found.end(),
              [](const fs::path& a, const fs::path& b) { return a.filename().native() < b.filename().native(); });
    return found;
}

}  // namespace

std::vector<fs::path> find_stores(const fs::path& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
        throw Error(ErrorCode::bad_input, fmt::format("`{}` is no folder of prediction stores", path.string()));
    }
    if (is_store(path)) return {path};
    std::vector<fs::path> stores;
    for (const fs::path& child : subfolders(path)) {
        if (is_store(child)) {
            stores.push_back(child);
            continue;
        }
        for (const fs::path& grandchild : subfolders(child)) {
            if (is_store(grandchild)) stores.push_back(grandchild);
        }
    }
    if (stores.empty()) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format(
                "no prediction store in `{}`: a store is a folder with a manifest.json, at DATA_SET/MODEL below it",
                path.string()));
    }
    return stores;
}

std::vector<std::string> verify_store(const fs::path& folder) {
    std::vector<std::string> problems;
    const auto attempt = [&](auto&& body) {
        try {
            body();
        } catch (const Error& error) {
            problems.emplace_back(error.what());
        }
    };
    attempt([&] {
        const PredictionStore opened = PredictionStore::open(folder);
        attempt([&] { opened.dataset(); });
        for (std::size_t i = 0; i < opened.shards(); ++i) attempt([&] { opened.shard(i); });
    });
    return problems;
}

}  // namespace assay
