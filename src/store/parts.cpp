#include "store/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "assay/error.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"
#include "store/layout.h"

namespace assay {

StorePart parse_part(std::string_view text) {
    const auto refuse_text = [&](std::string_view why) {
        throw Error(ErrorCode::usage,
                    fmt::format("part `{}`: {}; expected I/N with I from 1 to N and N of at most "
                                "{}, like 7/100",
                                shortened(std::string(text)), why, store::max_parts));
    };
    const auto number = [&](std::string_view digits) {
        std::uint32_t value = 0;
        const auto [end, problem] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (problem != std::errc() || end != digits.data() + digits.size())
            refuse_text("not two whole numbers");
        return value;
    };
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) refuse_text("no `/`");
    const StorePart part{number(text.substr(0, slash)), number(text.substr(slash + 1))};
    if (part.number == 0) refuse_text("parts count from 1");
    if (part.of == 0 || part.of > store::max_parts) refuse_text("too many parts");
    if (part.number > part.of) refuse_text("there are too many parts");
    return part;
}

namespace store {
namespace {

std::string folder_name_of(const StorePart& part) {
    return fmt::format("{:04}-of-{:04}", part.number, part.of);
}

/// Parts of one store must agree in everything that affects its numbers.
void check_same_store(const fs::path& store, const Manifest& one, const Manifest& other) {
    if (one.spec.id == other.spec.id) return;
    std::string found;
    for (const std::string& difference : differences(one.spec, other.spec))
        found += (found.empty() ? "" : "; ") + difference;
    refuse(fmt::format("the parts {} and {} of `{}` belong to different stores: {}",
                       part_text(one.spec.part), part_text(other.spec.part), store.string(),
                       found.empty() ? "their ids differ" : found));
}

Manifest manifest_of_parts(const fs::path& store, const std::vector<StorePart>& parts) {
    std::optional<Manifest> whole;
    std::size_t finished = 0;
    for (const StorePart& part : parts) {
        const fs::path path = manifest_path(part_folder(store, part));
        if (!is_there(path)) continue;
        Manifest own = read_manifest(path);
        if (own.spec.part != part) {
            refuse(fmt::format("`{}` belongs to part {}, not {}", path.string(),
                               part_text(own.spec.part), part_text(part)));
        }
        finished += own.finished ? 1 : 0;
        if (whole) {
            check_same_store(store, *whole, own);
        } else {
            whole = own;
            whole->records.assign(shard_count(own.spec), std::string());
        }
        for (std::size_t shard = 0; shard < own.records.size(); ++shard)
            if (!own.records[shard].empty()) whole->records[shard] = own.records[shard];
    }
    if (!whole) {
        refuse(
            fmt::format("`{}` is not a prediction store: it has no manifest.json, and none of its "
                        "parts has begun",
                        store.string()));
    }
    whole->spec.part = {0, parts.front().of};
    whole->finished = finished == parts.front().of;
    return std::move(*whole);
}

}  // namespace

fs::path parts_folder(const fs::path& store) {
    return store / "parts";
}

fs::path part_folder(const fs::path& store, const StorePart& part) {
    return parts_folder(store) / folder_name_of(part);
}

std::optional<StorePart> part_named(const std::string& name) {
    const auto middle = name.find("-of-");
    if (middle == std::string::npos) return std::nullopt;
    StorePart part;
    const char* const end = name.data() + name.size();
    std::from_chars(name.data(), name.data() + middle, part.number);
    std::from_chars(name.data() + middle + 4, end, part.of);
    const bool possible = part.number >= 1 && part.number <= part.of && part.of <= max_parts;
    return possible && folder_name_of(part) == name ? std::optional(part) : std::nullopt;
}

ShardRange shards_of(const StorePart& part, std::size_t shards) {
    if (part.number == 0) return {0, shards};
    return {shards * (part.number - 1) / part.of, shards * part.number / part.of};
}

std::uint32_t shard_rows_for(const StoreSpec& spec) {
    const std::uint32_t whole = default_shard_rows(spec);
    if (spec.part.of == 0) return whole;
    const std::uint64_t batch = std::max<std::uint32_t>(spec.batch_size, 1);
    const std::uint64_t batches = std::max<std::uint64_t>(spec.rows / spec.part.of / batch, 1);
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(whole, batches * batch));
}

StorePart part_of_shard(std::size_t shard, std::size_t shards, std::uint32_t of) {
    // The smallest i with shard < i S / n, where i S / n is rounded down.
    return {static_cast<std::uint32_t>(((shard + 1) * of + shards - 1) / shards), of};
}

std::vector<StorePart> parts_begun(const fs::path& store) {
    std::vector<StorePart> parts;
    if (!is_there(parts_folder(store))) return parts;
    for (const fs::path& entry : entries_of(parts_folder(store)))
        if (const auto part = part_named(entry.filename().string())) parts.push_back(*part);
    std::sort(parts.begin(), parts.end(), [](const StorePart& a, const StorePart& b) {
        return std::pair(a.of, a.number) < std::pair(b.of, b.number);
    });
    if (!parts.empty() && parts.front().of != parts.back().of) {
        refuse(
            fmt::format("`{}` holds parts of {} and of {}, but a store can only be split one way; "
                        "remove the folders of one of them",
                        parts_folder(store).string(), parts.front().of, parts.back().of));
    }
    return parts;
}

fs::path shard_home(const fs::path& store, const StoreSpec& spec, std::size_t shard) {
    if (spec.part.of == 0 || spec.part.number != 0 || is_there(record_path(store, shard)))
        return store;
    return part_folder(store, part_of_shard(shard, shard_count(spec), spec.part.of));
}

bool is_store_folder(const fs::path& folder) {
    if (fs::is_regular_file(status_of(manifest_path(folder)))) return true;
    return holds_parts(folder);
}

bool holds_parts(const fs::path& folder) {
    if (!is_folder(parts_folder(folder))) return false;
    // A data set may be named parts, and one of its models 0001-of-0002.
    for (const fs::path& entry : entries_of(parts_folder(folder))) {
        if (!part_named(entry.filename().string()) || !is_there(manifest_path(entry))) continue;
        if (!is_there(parts_folder(folder) / "dataset.json")) return true;
    }
    return false;
}

Manifest read_whole_manifest(const fs::path& store) {
    if (is_there(manifest_path(store))) return read_manifest(manifest_path(store));
    return manifest_of_parts(store, parts_begun(store));
}

std::optional<Manifest> any_manifest(const fs::path& store) {
    if (is_there(manifest_path(store))) return read_manifest(manifest_path(store));
    for (const StorePart& part : parts_begun(store)) {
        const fs::path path = manifest_path(part_folder(store, part));
        if (is_there(path)) return read_manifest(path);
    }
    return std::nullopt;
}

std::string part_text(const StorePart& part) {
    return fmt::format("{}/{}", part.number, part.of);
}

}  // namespace store
}  // namespace assay
