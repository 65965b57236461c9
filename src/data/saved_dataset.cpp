#include "data/saved_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/paths.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "core/text.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// One split: Arrow files, and what they are.
bool is_saved_split(const fs::path& folder) {
    if (!is_there(folder / "state.json") || !is_there(folder / "dataset_info.json")) return false;
    return std::ranges::any_of(entries_of(folder), [](const fs::path& entry) {
        return lower_extension(entry.filename().string()) == ".arrow";
    });
}

}  // namespace

void refuse_saved_dataset(const fs::path& folder) {
    if (is_saved_split(folder)) {
        fs::path named = folder;
        if (!named.has_filename()) named = named.parent_path();
        const std::string to = named.string() + ".parquet";
        refuse(fmt::format(
            "{}: a folder of `datasets.save_to_disk`, whose Arrow files are not read. This makes a "
            "Parquet file of it: python3 -c 'import sys; from datasets import load_from_disk; "
            "load_from_disk(sys.argv[1]).to_parquet(sys.argv[2])' {} {}; then give the same "
            "command {}",
            folder.string(), shell_word(folder.string()), shell_word(to), shell_word(to)));
    }
    if (!is_there(folder / "dataset_dict.json")) return;
    std::string splits;
    for (const fs::path& entry : entries_of(folder))
        if (is_folder(entry) && is_saved_split(entry))
            splits += (splits.empty() ? "" : "  or  ") + shell_word(entry.string());
    if (splits.empty()) return;
    refuse(fmt::format("{} holds the splits of `datasets.save_to_disk`: name one, {}",
                       folder.string(), splits));
}

}  // namespace assay
