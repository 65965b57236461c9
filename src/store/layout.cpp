#include "store/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <system_error>

#include "assay/error.h"
#include "containers/npy.h"
#include "core/paths.h"

namespace assay {

std::string_view name_of(StorageFormat storage) {
    switch (storage) {
        case StorageFormat::full_f32:
            return "full_f32";
        case StorageFormat::full_f16:
            return "full_f16";
        case StorageFormat::top_k:
            return "top_k";
        case StorageFormat::label:
            return "label";
    }
    throw Error(ErrorCode::internal, "unknown StorageFormat");
}

StorageFormat storage_format_named(std::string_view name) {
    std::vector<std::string> known;
    for (const StorageFormat storage : {StorageFormat::full_f32, StorageFormat::full_f16,
                                        StorageFormat::top_k, StorageFormat::label}) {
        if (name == name_of(storage)) return storage;
        known.emplace_back(name_of(storage));
    }
    throw Error(ErrorCode::usage,
                fmt::format("unknown form of scores `{}`{}", name, suggest(name, known)));
}

StorageChoice storage_choice_named(std::string_view text) {
    if (text == "full" || text == "f32") return {StorageFormat::full_f32, 0};
    if (text == "f16") return {StorageFormat::full_f16, 0};
    if (text == "label") return {StorageFormat::label, 0};
    if (text.starts_with("top")) {
        std::uint32_t k = 0;
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data() + 3, end, k);
        if (error == std::errc() && stop == end && k > 0) return {StorageFormat::top_k, k};
    }
    throw Error(
        ErrorCode::usage,
        fmt::format("storage `{}` is not one of full, f16, topK (top5, top20, ...), label", text));
}

std::string folder_name_from(std::string_view text) {
    std::string name;
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_' || c == '+' ||
                           c == '=' || c == ',' || c == '@' || (c & 0x80) != 0;
        name += plain ? c : '_';
    }
    while (!name.empty() && name.front() == '.') name.erase(0, 1);
    if (name.size() > 200) name.resize(200);
    if (name.empty()) name = "unnamed";
    if (name == "dataset.json" || name == "items.csv" || name == "items.columns") name += '_';
    return name;
}

void check_folder_name(std::string_view what, std::string_view name) {
    const bool control = std::any_of(name.begin(), name.end(),
                                     [](char c) { return static_cast<unsigned char>(c) < 32; });
    if (name.empty() || name.front() == '.' || control ||
        name.find('/') != std::string_view::npos || name.size() > 200 || name == "dataset.json" ||
        name == "items.csv" || name == "items.columns") {
        throw Error(ErrorCode::bad_input,
                    fmt::format("`{}` cannot name a {}: it becomes a folder's name, so it must "
                                "have 1 to 200 bytes, no "
                                "'/' and no leading '.'; `{}` would do",
                                name, what, folder_name_from(name)));
    }
}

namespace store {

fs::path manifest_path(const fs::path& folder) {
    return folder / "manifest.json";
}

fs::path lock_path(const fs::path& folder) {
    return folder / "lock";
}

fs::path shards_folder(const fs::path& folder) {
    return folder / "shards";
}

std::string shard_stem(std::size_t shard) {
    return fmt::format("{:06}", shard);
}

std::optional<std::size_t> shard_of_record(std::string_view name) {
    if (!name.ends_with(".json")) return std::nullopt;
    const std::string_view stem = name.substr(0, name.size() - 5);
    if (stem.size() < 6 || (stem.size() > 6 && stem.front() == '0')) return std::nullopt;
    std::size_t shard = 0;
    const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), shard);
    if (error != std::errc() || end != stem.data() + stem.size()) return std::nullopt;
    return shard;
}

fs::path record_path(const fs::path& folder, std::size_t shard) {
    return shards_folder(folder) / (shard_stem(shard) + ".json");
}

std::string ShardFile::header() const {
    return npy_header(descr, shape);
}

std::uint64_t ShardFile::bytes() const {
    std::uint64_t size = element_bytes;
    for (const std::uint64_t dimension : shape) size *= dimension;
    return header().size() + size;
}

std::vector<ShardFile> shard_files(const StoreSpec& spec, std::size_t shard) {
    const std::string stem = shard_stem(shard);
    const std::uint64_t rows = shard_size(spec, shard);
    switch (spec.storage) {
        case StorageFormat::full_f32:
            return {{stem + ".npy", "<f4", {rows, spec.classes}, 4}};
        case StorageFormat::full_f16:
            return {{stem + ".npy", "<f2", {rows, spec.classes}, 2}};
        case StorageFormat::top_k:
            return {{stem + ".npy", "[('class', '<i4'), ('score', '<f4')]", {rows, spec.top_k}, 8},
                    {stem + ".lse.npy", "<f8", {rows}, 8}};
        case StorageFormat::label:
            return {{stem + ".npy", "[('class', '<i4'), ('probability', '<f4')]", {rows}, 8}};
    }
    throw Error(ErrorCode::internal, "unknown StorageFormat");
}

namespace {

/// Skips hidden folders, and the folder at the root of a disk that only the system may read.
bool is_not_ours(std::string_view name) {
    return name.starts_with('.') || name == "lost+found";
}

bool may_be_folder(const fs::path& entry) {
    std::error_code error;
    const fs::file_status there = fs::status(entry, error);
    if (fs::status_known(there)) return fs::is_directory(there);
    return error != std::errc::too_many_symbolic_link_levels;
}

}  // namespace

std::vector<fs::path> subfolders(const fs::path& folder) {
    std::vector<fs::path> found;
    for (fs::path& entry : entries_of(folder)) {
        if (!is_not_ours(entry.filename().string()) && may_be_folder(entry))
            found.push_back(std::move(entry));
    }
    return found;
}

std::size_t shard_count(const StoreSpec& spec) {
    return static_cast<std::size_t>(spec.rows / spec.shard_rows +
                                    (spec.rows % spec.shard_rows != 0 ? 1 : 0));
}

std::uint64_t shard_begin(const StoreSpec& spec, std::size_t shard) {
    return static_cast<std::uint64_t>(shard) * spec.shard_rows;
}

std::uint32_t shard_size(const StoreSpec& spec, std::size_t shard) {
    const std::uint64_t begin = shard_begin(spec, shard);
    if (begin >= spec.rows) {
        throw Error(ErrorCode::internal,
                    fmt::format("shard {} does not exist; there are {}", shard, shard_count(spec)));
    }
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(spec.shard_rows, spec.rows - begin));
}

std::uint32_t default_shard_rows(const StoreSpec& spec) {
    constexpr std::uint64_t most_bytes = std::uint64_t{4} << 20;
    constexpr std::uint64_t most_computed = 8192, most_imported = 262'144;
    std::uint64_t row = 0;  // bytes
    switch (spec.storage) {
        case StorageFormat::full_f32:
            row = std::uint64_t{4} * spec.classes;
            break;
        case StorageFormat::full_f16:
            row = std::uint64_t{2} * spec.classes;
            break;
        case StorageFormat::top_k:
            row = std::uint64_t{8} * spec.top_k;
            break;
        case StorageFormat::label:
            row = 4;
            break;
    }
    const std::uint64_t fitting =
        std::bit_floor(std::max<std::uint64_t>(most_bytes / std::max<std::uint64_t>(row, 1), 1));
    const std::uint64_t rows =
        std::min(fitting, spec.batch_size > 0 ? most_computed : most_imported);
    const std::uint64_t batch = std::max(spec.batch_size, 1U);
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(rows / batch, 1) * batch);
}

}  // namespace store
}  // namespace assay
