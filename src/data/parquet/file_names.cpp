#include "data/parquet/file_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/layouts/split_folders.h"

namespace assay::parquet {
namespace {

namespace fs = std::filesystem;

/// A name such as "validation-00003-of-00014".
struct ShardName {
    std::string split;
    std::uint64_t number = 0;
    std::uint64_t of = 0;
};

std::optional<ShardName> shard_name_of(std::string_view stem) {
    constexpr std::size_t digits = 5;
    constexpr std::string_view between = "-of-";
    constexpr std::size_t tail = 1 + digits + between.size() + digits;
    ShardName name;
    if (stem.size() <= tail) return std::nullopt;
    const std::string_view end = stem.substr(stem.size() - tail);
    if (end[0] != '-' || end.substr(1 + digits, between.size()) != between ||
        !parse_number(end.substr(1, digits), name.number) ||
        !parse_number(end.substr(tail - digits), name.of))
        return std::nullopt;
    name.split = stem.substr(0, stem.size() - tail);
    return name;
}

/// The split at the start of a name, or "" if there is none.
std::string split_of(const std::string& stem) {
    if (const auto shard = shard_name_of(stem)) return shard->split;
    constexpr std::array<std::string_view, 10> splits = {
        "train", "training", "validation", "valid", "val",
        "dev",   "test",     "testing",    "eval",  "evaluation"};
    const std::string_view word = std::string_view(stem).substr(0, stem.find_first_of("-_. "));
    const bool known = std::find(splits.begin(), splits.end(), loose_name(word)) != splits.end();
    return known ? std::string(word) : "";
}

std::vector<fs::path> files_directly_in(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const fs::path& entry : entries_of(folder)) {
        const bool hidden = entry.filename().string().starts_with('.');
        if (!hidden && has_parquet_extension(entry) && !is_folder(entry)) files.push_back(entry);
    }
    return files;
}

/// The argument for the files of one split: one path, or the range of numbers.
std::string to_type(const std::vector<fs::path>& files) {
    const auto first = shard_name_of(files.front().stem().string());
    if (files.size() == 1 || !first) return files.front().string();
    const auto last = shard_name_of(files.back().stem().string());
    return (files.front().parent_path() /
            fmt::format("{}-{{{:05}..{:05}}}-of-{:05}.parquet", first->split, first->number,
                        last ? last->number : first->number, first->of))
        .string();
}

void refuse_missing_shards(const std::vector<fs::path>& files) {
    const auto first = shard_name_of(files.front().stem().string());
    if (!first) return;
    for (std::size_t i = 0; i < first->of; ++i) {
        const std::string wanted = fmt::format("{}-{:05}-of-{:05}", first->split, i, first->of);
        if (i < files.size() && files[i].stem() == wanted) continue;
        refuse(fmt::format(
            "{}: {}.parquet is missing ({} of {} exist); to read only some files, name them: {}",
            files.front().parent_path().string(), wanted,
            files.size() == 1 ? "1 file" : fmt::format("{} files", files.size()), first->of,
            to_type(files)));
    }
}

}  // namespace

bool has_parquet_extension(const fs::path& path) {
    return lower_extension(path.string()) == ".parquet";
}

std::vector<fs::path> parquet_files_of(const fs::path& folder, std::string_view split) {
    std::vector<fs::path> files = files_directly_in(folder);
    const fs::path data = folder / "data";
    if (files.empty() && is_folder(data)) files = files_directly_in(data);
    if (files.empty()) return files;
    std::map<std::string, std::vector<fs::path>> splits;
    for (const fs::path& file : files) splits[split_of(file.stem().string())].push_back(file);
    const auto chosen = std::ranges::find_if(splits, [&](const auto& one) {
        return !split.empty() && layouts::same_split(one.first, split);
    });
    if (chosen != splits.end()) {
        files = chosen->second;
    } else if (splits.size() > 1 || !split.empty()) {
        std::string known, hint;
        for (const auto& [name, of_split] : splits) {
            known += (known.empty() ? "" : ", ") + (name.empty() ? "others" : name);
            hint += (hint.empty() ? "" : "  or  ") + to_type(of_split);
        }
        const std::string where = files.front().parent_path().string();
        if (!split.empty())
            refuse(fmt::format("{} has no Parquet files of the split {}; it has {}", where,
                               shortened(split), known));
        refuse(fmt::format(
            "{} holds several splits ({}): choose one with --split, or name its files, e.g. {}",
            where, known, hint));
    }
    refuse_missing_shards(files);
    return files;
}

std::string range_of_shards(const std::vector<fs::path>& paths) {
    std::map<std::string, std::vector<fs::path>> splits;
    for (const fs::path& path : paths) {
        const auto shard = shard_name_of(path.stem().string());
        if (!shard || !has_parquet_extension(path)) continue;
        splits[(path.parent_path() / shard->split).string()].push_back(path);
    }
    for (const auto& [split, files] : splits)
        if (files.size() > 1) return to_type(files);
    return "";
}

}  // namespace assay::parquet
