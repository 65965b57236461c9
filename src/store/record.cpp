#include "store/record.h"

#include <fmt/format.h>

#include <charconv>

#include "assay/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json_reader.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"
#include "image/file_facts.h"
#include "store/fields.h"
#include "store/layout.h"
#include "store/manifest.h"
#include "store/parts.h"

namespace assay::store {
namespace {

using nlohmann::json;

constexpr std::string_view shard_schema = "assay.shard";

RowState state_named(std::string_view name) {
    for (const RowState state : {RowState::ok, RowState::unreadable, RowState::not_finite}) {
        if (name == name_of(state)) return state;
    }
    refuse(fmt::format("`{:.40}` is not a row state; known: ok, unreadable, not_finite", name));
}

/// Writes runs of equal states: [["ok", 1000], ["unreadable", 1], ...].
json runs_of(const std::vector<RowState>& states) {
    json runs = json::array();
    for (std::size_t begin = 0; begin < states.size();) {
        std::size_t end = begin;
        while (end < states.size() && states[end] == states[begin]) ++end;
        runs.push_back(json::array({name_of(states[begin]), end - begin}));
        begin = end;
    }
    return runs;
}

std::vector<RowState> states_of(const JsonReader& list, std::uint32_t rows) {
    std::vector<RowState> states;
    states.reserve(rows);
    for (const json& run : list.list()) {
        if (!run.is_array() || run.size() != 2 || !run[0].is_string() ||
            !run[1].is_number_unsigned()) {
            list.refuse_as("pairs of a state and a number of rows");
        }
        const auto length = run[1].get<std::uint64_t>();
        if (length == 0 || length > rows - states.size())
            refuse(fmt::format("the row states do not add up to {} rows", rows));
        states.insert(states.end(), length, state_named(run[0].get_ref<const std::string&>()));
    }
    if (states.size() != rows)
        refuse(fmt::format("there are {} row states for {} rows", states.size(), rows));
    return states;
}

json bytes_of(const std::vector<ImageFile>& images) {
    json list = json::array();
    for (const ImageFile& image : images) list.push_back(image.bytes);
    return list;
}

json hashes_of(const std::vector<ImageFile>& images) {
    json list = json::array();
    for (const ImageFile& image : images)
        list.push_back(image.known() ? fmt::format("{:016x}", image.hash) : std::string());
    return list;
}

std::uint64_t hash_in(const json& value) {
    if (!value.is_string()) refuse("`image_hashes` must hold texts");
    const auto& text = value.get_ref<const std::string&>();
    if (text.empty()) return 0;
    std::uint64_t hash = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), hash, 16);
    if (text.size() != 16 || error != std::errc() || stop != text.data() + text.size())
        refuse(fmt::format("`{:.40}` in `image_hashes` is not 16 hex digits", text));
    return hash;
}

/// Either both lists exist or neither. Stores from before they were recorded have neither.
std::vector<ImageFile> images_of(const JsonReader& fields, std::uint32_t rows) {
    if (!fields.has("image_bytes") && !fields.has("image_hashes")) return {};
    const json& bytes = fields["image_bytes"].list();
    const json& hashes = fields["image_hashes"].list();
    if (bytes.size() != hashes.size() || (!bytes.empty() && bytes.size() != rows)) {
        refuse(fmt::format("`image_bytes` has {} entries but `image_hashes` has {}, for {} rows",
                           bytes.size(), hashes.size(), rows));
    }
    std::vector<ImageFile> images;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (!bytes[i].is_number_unsigned()) refuse("`image_bytes` must hold counts of bytes");
        images.push_back({.bytes = bytes[i].get<std::uint64_t>(), .hash = hash_in(hashes[i])});
    }
    return images;
}

/// For each ignored property, the rows of the store whose images have it; null if there are none.
json left_aside_of(const std::vector<ImageFile>& images, std::uint64_t begin) {
    json all;
    for (const LeftAside& kind : left_aside_kinds) {
        for (std::size_t i = 0; i < images.size(); ++i) {
            if ((images[i].left_aside & kind.bit) != 0)
                all[std::string(kind.id)].push_back(begin + i);
        }
    }
    return all;
}

/// Kinds of properties from later versions are ignored.
void read_left_aside(const JsonReader& fields, std::uint64_t begin,
                     std::vector<ImageFile>& images) {
    if (!fields.has("left_aside") || images.empty()) return;
    const JsonReader all = fields["left_aside"];
    for (const LeftAside& kind : left_aside_kinds) {
        const std::string id(kind.id);
        if (!all.has(id.c_str())) continue;
        for (const json& row : all[id.c_str()].list()) {
            if (!row.is_number_unsigned() || row.get<std::uint64_t>() < begin ||
                row.get<std::uint64_t>() - begin >= images.size())
                refuse(fmt::format("`left_aside` must hold rows of the shard, from {}", begin));
            std::uint8_t& bits = images[row.get<std::uint64_t>() - begin].left_aside;
            bits = static_cast<std::uint8_t>(bits | kind.bit);
        }
    }
}

/// A shard of another store often has the same shape, so the store's id is checked.
void check_store(const JsonReader& fields, int format, const StoreSpec& spec) {
    const auto described = [](const std::string& model, const std::string& dataset) {
        return fmt::format("`{}` on `{}`", shortened(model), shortened(dataset));
    };
    const std::string here = described(spec.model_name, spec.dataset_name);
    if (format < 3) {
        if (spec.id.empty()) return;
        refuse(
            fmt::format("it does not name its store, unlike the shards of {}: an older Assay wrote "
                        "it for another store",
                        here));
    }
    const JsonReader store = fields["store"];
    const std::string& id = store["id"].text();
    if (id == spec.id) return;
    refuse(fmt::format("it belongs to another store, {} (id {}); this one is {} ({})",
                       described(store["model"].text(), store["dataset"].text()), shortened(id),
                       here, spec.id.empty() ? "from before stores had ids" : "id " + spec.id));
}

}  // namespace

std::string_view name_of(RowState state) {
    switch (state) {
        case RowState::ok:
            return "ok";
        case RowState::unreadable:
            return "unreadable";
        case RowState::not_finite:
            return "not_finite";
    }
    throw Error(ErrorCode::internal, "unknown RowState");
}

std::string record_text(const ShardRecord& record, const StoreSpec& spec) {
    json files = json::array();
    for (const FileRecord& file : record.files) {
        files.push_back({{"name", file.name}, {"bytes", file.bytes}, {"xxh128", file.xxh128}});
    }
    json errors = json::array();
    for (const RowError& error : record.errors) {
        errors.push_back(
            {{"row", error.row}, {"state", name_of(error.state)}, {"message", error.message}});
    }
    const bool named = !spec.id.empty();
    json value = {{"schema", shard_schema},
                  {"schema_version", named ? schema_version : 2},
                  {"shard", record.shard},
                  {"first_row", shard_begin(spec, record.shard)},
                  {"rows", shard_size(spec, record.shard)},
                  {"files", std::move(files)},
                  {"states", runs_of(record.states)},
                  {"errors", std::move(errors)},
                  {"images_xxh128", record.images_hash}};
    if (!record.images.empty()) {
        value["image_bytes"] = bytes_of(record.images);
        value["image_hashes"] = hashes_of(record.images);
        json left = left_aside_of(record.images, shard_begin(spec, record.shard));
        if (!left.is_null()) value["left_aside"] = std::move(left);
    }
    if (const ComputedOn& on = record.computed_on; on.known()) {
        value["computed_on"] = {{"device", on.device}, {"framework", on.framework}};
        if (!on.precision.empty()) value["computed_on"]["precision"] = on.precision;
    }
    if (!named) return dump(value);
    value["store"] = {{"dataset", spec.dataset_name}, {"model", spec.model_name}, {"id", spec.id}};
    return dump_with_checksum(value);
}

ShardRecord parse_record(std::string_view text, const StoreSpec& spec, std::size_t shard) {
    const auto [value, format] = parse_object(text, shard_schema);
    const JsonReader fields(value);
    check_store(fields, format, spec);
    const std::uint64_t begin = shard_begin(spec, shard);
    const std::uint32_t rows = shard_size(spec, shard);
    ShardRecord record;
    record.shard = fields["shard"].whole(shard, shard);
    fields["first_row"].whole(begin, begin);
    fields["rows"].whole(rows, rows);
    const std::vector<ShardFile> expected = shard_files(spec, shard);
    const std::vector<JsonReader> files = fields["files"].entries();
    if (files.size() != expected.size())
        refuse(fmt::format("{} files are recorded; expected {}", files.size(), expected.size()));
    for (std::size_t i = 0; i < expected.size(); ++i) {
        FileRecord file;
        file.name = files[i]["name"].text();
        // The name is compared and never used as a path, so a record cannot make the reader open
        // another file.
        if (file.name != expected[i].name)
            refuse(fmt::format("file `{:.60}` is recorded; expected `{}`", file.name,
                               expected[i].name));
        file.bytes = files[i]["bytes"].whole(expected[i].bytes(), expected[i].bytes());
        file.xxh128 = files[i]["xxh128"].text();
        record.files.push_back(std::move(file));
    }
    record.states = states_of(fields["states"], rows);
    for (const JsonReader& entry : fields["errors"].entries()) {
        RowError error;
        error.row = entry["row"].whole(begin, begin + rows - 1);
        error.state = state_named(entry["state"].text());
        error.message = entry["message"].text();
        record.errors.push_back(std::move(error));
    }
    record.images_hash = fields["images_xxh128"].text();
    record.images = images_of(fields, rows);
    read_left_aside(fields, begin, record.images);
    if (fields.has("computed_on")) {
        const JsonReader on = fields["computed_on"];
        record.computed_on = {on["device"].text(), on["framework"].text(),
                              on.has("precision") ? on["precision"].text() : ""};
    }
    return record;
}

std::string shard_remedy(const fs::path& folder, std::size_t shard) {
    return fmt::format(
        "put the shard's own files back, or remove `{}`, and the command that made "
        "the store computes the shard again",
        record_path(folder, shard).string());
}

ShardRecord read_record(const fs::path& folder, const Manifest& manifest, std::size_t shard) {
    const fs::path path = record_path(folder, shard);
    const auto read = [&] {
        const std::string text = read_text(path, max_json_bytes);
        ShardRecord record = parse_record(text, manifest.spec, shard);
        record.xxh128 = hash_text(text);
        check_finished(manifest, shard, record.xxh128);
        for (const FileRecord& file : record.files) {
            std::error_code error;
            const fs::path data = path.parent_path() / file.name;
            const std::uint64_t bytes = fs::file_size(data, error);
            if (error && !may_be_judged(data)) file_bytes(data);  // throws
            if (error)
                refuse(fmt::format("`{}` of the shard cannot be read: {}", file.name,
                                   error.message()));
            if (bytes != file.bytes)
                refuse(fmt::format("`{}` has {} bytes, but {} are recorded", file.name, bytes,
                                   file.bytes));
        }
        return record;
    };
    return with_note(fmt::format("reading `{}`", path.string()),
                     [&] { return with_remedy(path, shard_remedy(folder, shard), read); });
}

std::optional<ShardRecord> record_if_there(const fs::path& store, const StoreSpec& spec,
                                           std::size_t shard) {
    try {
        const fs::path home = shard_home(store, spec, shard);
        if (!is_there(record_path(home, shard))) return std::nullopt;
        return read_record(home, {.spec = spec, .finished = false, .records = {}}, shard);
    } catch (const Error& damage) {
        if (damage.code() == ErrorCode::interrupted) throw;
        return std::nullopt;
    }
}

void check_data(const fs::path& folder, const ShardRecord& record) {
    for (const FileRecord& file : record.files) {
        const fs::path data = shards_folder(folder) / file.name;
        const std::string found = hash_file(data);
        if (found == file.xxh128) continue;
        with_remedy(data, shard_remedy(folder, record.shard), [&] {
            refuse(fmt::format("`{}` is damaged: its checksum is {}, but {} is recorded", file.name,
                               found, file.xxh128));
        });
    }
}

}  // namespace assay::store
