#include "data/webdataset/tar_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "core/file.h"
#include "core/json_limits.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay::webdataset {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view packed_endings[] = {".tgz", ".tar.gz", ".tar.zst", ".tar.bz2",
                                               ".tbz", ".tar.xz", ".txz",     ".tar.lz4"};
constexpr std::uint64_t most_bytes_of_a_list = std::uint64_t{64} << 20;

/// Splits "imagenet-train-000017" into "imagenet-train-" and 17.
struct NumberedName {
    std::string begin;
    std::uint64_t number = 0;
};

NumberedName numbered(const fs::path& file) {
    const std::string stem = file.stem().string();
    const std::size_t digits = stem.find_last_not_of("0123456789") + 1;  // npos + 1 is 0
    NumberedName name{stem.substr(0, digits), 0};
    if (!parse_number(std::string_view(stem).substr(digits), name.number)) name.begin = stem;
    return name;
}

std::vector<fs::path> archives_in(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const fs::path& entry : entries_of(folder)) {
        const bool hidden = entry.filename().string().starts_with('.');
        if (!hidden && has_tar_extension(entry) && !is_folder(entry)) files.push_back(entry);
    }
    std::stable_sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
        const NumberedName x = numbered(a), y = numbered(b);
        return std::tie(x.begin, x.number) < std::tie(y.begin, y.number);
    });
    return files;
}

/// Makes "a-{000..012}.tar", or the name of the only file.
std::string to_type(const std::vector<fs::path>& files) {
    const fs::path &first = files.front(), &last = files.back();
    if (files.size() == 1) return first.string();
    const std::string begin = numbered(first).begin;
    return (first.parent_path() /
            fmt::format("{}{{{}..{}}}{}", begin, first.stem().string().substr(begin.size()),
                        last.stem().string().substr(begin.size()), first.extension().string()))
        .string();
}

void refuse_several_splits(const fs::path& folder, const std::vector<fs::path>& files) {
    std::map<std::string, std::vector<fs::path>> by_begin;
    for (const fs::path& file : files) by_begin[numbered(file).begin].push_back(file);
    if (by_begin.size() < 2) return;
    std::string hint;
    for (const auto& [begin, of_begin] : by_begin)
        hint += (hint.empty() ? "" : "  or  ") + to_type(of_begin);
    refuse(
        fmt::format("{} holds archives with different base names: name those of one data set, {}",
                    folder.string(), hint));
}

/// The non-empty lines of a text file.
std::vector<std::string> lines_of(const fs::path& file) {
    std::vector<std::string> lines;
    const std::string text = read_text(file, most_bytes_of_a_list);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = trimmed(std::string_view(text).substr(at, end - at));
        if (!line.empty()) lines.emplace_back(line);
        at = end + 1;
    }
    return lines;
}

void check_there(const fs::path& file, const fs::path& says) {
    if (!is_there(file))
        refuse(fmt::format("{}, which {} names, does not exist", file.string(), says.string()));
}

/// timm's _info.json: {"filenames", "shard_lengths"}, either for all files or by name under
/// "splits".
void take_info(const fs::path& info, TarFiles& out) {
    const json all = with_note("reading " + info.string(), [&] {
        constexpr int deepest = 16;
        return parse_json(read_text(info, most_bytes_of_a_list), deepest);
    });
    const json* part = &all;
    if (all.is_object() && all.contains("splits") && all["splits"].is_object()) {
        const json& splits = all["splits"];
        if (splits.size() != 1) {
            std::string names;
            for (const auto& [name, split] : splits.items())
                names += (names.empty() ? "" : ", ") + shortened(name);
            refuse(
                fmt::format("{} has several splits ({}): name the archives of one split, as "
                            "NAME-{{0000..0063}}.tar",
                            info.string(), names));
        }
        part = &*splits.begin();
    }
    const auto list = [&](const char* name) -> const json* {
        if (!part->is_object()) return nullptr;
        const auto found = part->find(name);
        return found != part->end() && found->is_array() ? &*found : nullptr;
    };
    const json *names = list("filenames"), *lengths = list("shard_lengths");
    if (names == nullptr) return;
    std::vector<fs::path> files;
    for (const json& name : *names) {
        const std::string text = name.is_string() ? name.get<std::string>() : std::string();
        if (text.empty() || text.find('/') != std::string::npos)
            refuse(
                fmt::format("{}: `filenames` must hold names of files next to it", info.string()));
        files.push_back(info.parent_path() / text);
        check_there(files.back(), info);
    }
    if (lengths != nullptr) {
        for (const json& length : *lengths) {
            if (!length.is_number_unsigned())
                refuse(fmt::format("{}: `shard_lengths` must hold numbers", info.string()));
            out.lengths.push_back(length.get<std::uint64_t>());
        }
        if (out.lengths.size() != files.size())
            refuse(fmt::format("{}: {} `filenames` and {} `shard_lengths`", info.string(),
                               files.size(), out.lengths.size()));
    }
    out.notes.push_back(
        fmt::format("{} names {}", info.string(), how_many(files.size(), "archive")));
    out.files = std::move(files);
}

void take_classes(const fs::path& folder, TarFiles& out) {
    for (const char* name : {"classnames.txt", "class_names.txt"}) {
        for (const fs::path& place : {folder, folder.parent_path()}) {
            if (!is_there(place / name) || is_folder(place / name)) continue;
            out.classes = lines_of(place / name);
            return;
        }
    }
}

}  // namespace

bool has_tar_extension(const fs::path& path) {
    std::string name = path.filename().string();
    std::transform(name.begin(), name.end(), name.begin(), lower);
    if (name.ends_with(".tar")) return true;
    return std::any_of(std::begin(packed_endings), std::end(packed_endings),
                       [&](std::string_view ending) { return name.ends_with(ending); });
}

TarFiles tar_files_of(const fs::path& folder) {
    TarFiles out;
    fs::path place = folder;
    out.files = archives_in(place);
    if (out.files.empty() && is_folder(folder / "test")) {
        place = folder / "test";
        out.files = archives_in(place);
    }
    if (out.files.empty()) return out;
    take_classes(place, out);
    for (const char* name : {"_info.json", "info.json"}) {
        if (!is_there(place / name)) continue;
        std::vector<fs::path> found = std::move(out.files);
        out.files.clear();
        take_info(place / name, out);
        if (!out.files.empty()) return out;
        out.files = std::move(found);
    }
    refuse_several_splits(place, out.files);
    if (is_there(place / "nshards.txt")) {
        const std::vector<std::string> said = lines_of(place / "nshards.txt");
        std::uint64_t shards = 0;
        if (said.size() != 1 || !parse_number(said[0], shards))
            refuse((place / "nshards.txt").string() + ": not a number");
        for (std::uint64_t i = 0; i < shards; ++i)
            check_there(place / fmt::format("{}.tar", i), place / "nshards.txt");
    } else {
        const std::uint64_t first = numbered(out.files.front()).number;
        const std::uint64_t last = numbered(out.files.back()).number;
        if (last - first + 1 != out.files.size()) {
            out.notes.push_back(
                fmt::format("{} archives are numbered {} to {}: some may be "
                            "missing",
                            out.files.size(), first, last));
        }
    }
    return out;
}

}  // namespace assay::webdataset
