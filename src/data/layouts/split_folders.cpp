#include "data/layouts/split_folders.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/refuse.h"
#include "core/text.h"
#include "data/folder_scan.h"
#include "data/image_folder.h"

namespace assay::layouts {
namespace {

namespace fs = std::filesystem;

/// Names of splits in order of preference. The last one is only used if requested.
constexpr std::array<std::array<std::string_view, 3>, 3> kinds_of_split = {{
    {"test", "testing", ""},
    {"val", "valid", "validation"},
    {"train", "training", ""},
}};

/// The index of a split in kinds_of_split, or the number of kinds.
std::size_t kind_of_split(std::string_view name) {
    const std::string loose = loose_name(name);
    const auto* const found = std::ranges::find_if(kinds_of_split, [&](const auto& names) {
        return !loose.empty() && std::ranges::find(names, loose) != names.end();
    });
    return static_cast<std::size_t>(found - kinds_of_split.begin());
}

/// The folders that are splits, in order of preference. Empty if a folder with images is not a
/// split. A folder with images directly in it is a class, except for ImageNet's test images without
/// labels.
std::vector<std::string> splits_in(const fs::path& path) {
    std::vector<std::string> splits;
    std::size_t flat = 0;
    for (const std::string& folder : list_folder(path).folders) {
        if (!is_split(folder)) {
            if (holds_an_image(path, folder)) return {};
        } else if (list_folder(path / folder).images > 0) {
            if (kind_of_split(folder) != 0) return {};
            ++flat;
        } else if (holds_an_image(path, folder)) {
            splits.push_back(folder);
        }
    }
    if (flat > 0 && splits.empty()) return {};
    std::ranges::stable_sort(splits, {}, kind_of_split);
    return splits;
}

}  // namespace

bool is_split(std::string_view name) {
    return kind_of_split(name) < kinds_of_split.size();
}

bool same_split(std::string_view one, std::string_view other) {
    return one == other || (is_split(one) && kind_of_split(one) == kind_of_split(other));
}

std::optional<Dataset> open_split_folders(const fs::path& path, const DatasetOptions& options,
                                          std::vector<std::string>& notes) {
    const std::vector<std::string> splits = splits_in(path);
    if (splits.empty()) return std::nullopt;
    const auto chosen = std::ranges::find_if(splits, [&](const std::string& split) {
        return options.split.empty() ? kind_of_split(split) + 1 < kinds_of_split.size()
                                     : same_split(split, options.split);
    });
    if (chosen == splits.end() && options.split.empty())
        refuse(
            fmt::format("{} holds only the training images of a data set ({}), no test or val; to "
                        "read them, pass --split {}",
                        path.string(), splits.front(), splits.front()));
    if (chosen == splits.end())
        refuse(fmt::format("{} has no class folders of the split {}; it has {}", path.string(),
                           shortened(options.split), fmt::join(splits, ", ")));
    notes.push_back(fmt::format(
        "class folders of {}, split {}{}", *chosen, *chosen,
        splits.size() > 1 ? fmt::format(" of {} (--split)", fmt::join(splits, ", ")) : ""));
    return open_image_folder(path / *chosen, options, notes);
}

}  // namespace assay::layouts
