#include "serve/files_state.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <system_error>
#include <utility>

#include "core/hash.h"

namespace assay::serve {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_entries = 1'000'000;
/// RUNS/DATA_SET/MODEL/shards has four levels. Circular links would never end.
constexpr int deepest = 8;

/// A hash of one file and its name. Hashes are added, so that the order of a folder does not
/// matter.
std::uint64_t mark_of(const fs::directory_entry& entry) {
    std::error_code none;
    const std::uintmax_t size = entry.is_regular_file(none) ? entry.file_size(none) : 0;
    const auto time = entry.last_write_time(none).time_since_epoch().count();
    Hasher hasher;
    hasher.add_field(entry.path().native());
    hasher.add_field(std::to_string(size));
    hasher.add_field(std::to_string(time));
    const std::string digest = hasher.digest();
    // After "xxh128:", takes the first 16 of the 32 hex digits.
    return std::stoull(digest.substr(digest.find(':') + 1, 16), nullptr, 16);
}

}  // namespace

std::string state_of_files(const std::vector<fs::path>& paths) {
    std::uint64_t sum = 0, files = 0;
    for (const fs::path& path : paths) {
        std::error_code problem;
        if (!fs::is_directory(path, problem)) {
            const fs::directory_entry entry(path, problem);
            if (!problem && entry.exists(problem)) sum += mark_of(entry), ++files;
            continue;
        }
        // A folder that cannot be listed only hides its own contents.
        std::vector<std::pair<fs::path, int>> folders = {{path, 0}};
        std::size_t entries = 0;
        while (!folders.empty()) {
            const auto [folder, depth] = std::move(folders.back());
            folders.pop_back();
            std::error_code none;
            for (fs::directory_iterator at(folder, none), end;
                 !none && at != end && ++entries < most_entries; at.increment(none)) {
                if (at->path().filename().string().starts_with('.')) continue;
                std::error_code unknown;
                if (at->is_directory(unknown)) {
                    if (depth < deepest) folders.emplace_back(at->path(), depth + 1);
                    continue;
                }
                sum += mark_of(*at);
                ++files;
            }
        }
    }
    return std::to_string(files) + ":" + std::to_string(sum);
}

}  // namespace assay::serve
