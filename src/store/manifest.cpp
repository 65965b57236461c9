#include "store/manifest.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "assay/version.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json_limits.h"
#include "core/json_reader.h"
#include "core/json_text.h"
#include "core/refuse.h"
#include "core/text.h"
#include "store/fields.h"
#include "store/layout.h"
#include "store/parts.h"
#include "store/same_data.h"
#include "store/same_models.h"

namespace assay::store {
namespace {

using nlohmann::json;

constexpr std::string_view store_schema = "assay.store";
constexpr std::uint64_t max_rows = 1ULL << 40;
constexpr std::uint32_t max_classes = 1U << 24;
constexpr std::uint32_t max_shard_rows = 1U << 24;

void check_range(const char* name, std::uint64_t value, std::uint64_t low, std::uint64_t high) {
    if (value < low || value > high)
        refuse(fmt::format("{} is {}; it must be {} to {}", name, value, low, high));
}

json provenance_of(const StoreSpec& spec) {
    if (spec.provenance_json.empty()) return json::object();
    // limited to the depth that can be read back
    json value = parse_json(spec.provenance_json, 60);
    if (!value.is_object()) refuse("the provenance of a store must be a JSON object");
    return value;
}

}  // namespace

void check_spec(const StoreSpec& spec) {
    check_folder_name("data set", spec.dataset_name);
    check_folder_name("model", spec.model_name);
    check_range("the number of rows", spec.rows, 1, max_rows);
    check_range("the number of classes", spec.classes, 1, max_classes);
    check_range("shard_rows", spec.shard_rows, 1, max_shard_rows);
    if (spec.storage == StorageFormat::top_k) {
        check_range("top_k", spec.top_k, 1, spec.classes);
    } else {
        check_range("top_k (without storage = top_k)", spec.top_k, 0, 0);
    }
    if (spec.kind == ScoreKind::labels && spec.storage != StorageFormat::label)
        refuse("predicted classes without scores can only be stored as `label`");
    if (spec.batch_size != 0 && spec.shard_rows % spec.batch_size != 0) {
        refuse(
            fmt::format("shard_rows {} is not a multiple of the batch size {}, so a batch would be "
                        "split between shards",
                        spec.shard_rows, spec.batch_size));
    }
}

std::string store_id(const StoreSpec& spec) {
    Hasher hasher;
    for (const std::string_view text :
         {std::string_view(spec.dataset_id), std::string_view(spec.model_name), name_of(spec.kind),
          name_of(spec.storage), std::string_view(spec.model_hash),
          std::string_view(spec.preprocess_hash), std::string_view(spec.import_hash)})
        hasher.add_field(text);
    for (const std::uint64_t number :
         {spec.rows, std::uint64_t{spec.classes}, std::uint64_t{spec.top_k},
          std::uint64_t{spec.shard_rows}, std::uint64_t{spec.batch_size}})
        hasher.add_field(fmt::format("{}", number));
    if (spec.decoder > 0) hasher.add_field(fmt::format("{}", spec.decoder));
    return hasher.digest();
}

std::string manifest_text(const Manifest& manifest) {
    const StoreSpec& spec = manifest.spec;
    const bool named = !spec.id.empty();
    json value = {{"schema", store_schema},
                  {"schema_version", named ? schema_version : 2},
                  {"written_by", fmt::format("assay {}", version)},
                  {"dataset", spec.dataset_name},
                  {"model", spec.model_name},
                  {"rows", spec.rows},
                  {"classes", spec.classes},
                  {"kind", name_of(spec.kind)},
                  {"storage", name_of(spec.storage)},
                  {"top_k", spec.top_k},
                  {"shard_rows", spec.shard_rows},
                  {"batch_size", spec.batch_size},
                  {"ids_hash", spec.ids_hash},
                  {"model_hash", spec.model_hash},
                  {"preprocess_hash", spec.preprocess_hash},
                  {"finished", manifest.finished},
                  {"provenance", provenance_of(spec)}};
    if (!named) return dump(value);
    value["id"] = spec.id;
    value["dataset_id"] = spec.dataset_id;
    value["import_hash"] = spec.import_hash;
    if (spec.decoder > 0) value["decoder"] = spec.decoder;
    if (spec.part.of > 0) value["part"] = {{"number", spec.part.number}, {"of", spec.part.of}};
    if (manifest.finished) {
        const ShardRange own = shards_of(spec.part, shard_count(spec));
        value["records"] = std::vector<std::string>(
            manifest.records.begin() + static_cast<std::ptrdiff_t>(own.begin),
            manifest.records.begin() + static_cast<std::ptrdiff_t>(own.end));
    }
    return dump_with_checksum(value);
}

Manifest parse_manifest(std::string_view text) {
    const auto [value, format] = parse_object(text, store_schema);
    const JsonReader fields(value);
    Manifest manifest;
    StoreSpec& spec = manifest.spec;
    spec.dataset_name = fields["dataset"].text();
    spec.model_name = fields["model"].text();
    spec.rows = fields["rows"].whole(1, max_rows);
    spec.classes = static_cast<std::uint32_t>(fields["classes"].whole(1, max_classes));
    try {
        const std::string kind = fields["kind"].text();
        spec.kind = kind == name_of(ScoreKind::labels) ? ScoreKind::labels : score_kind_named(kind);
        spec.storage = storage_format_named(fields["storage"].text());
    } catch (const Error& error) {
        refuse(error.message());
    }
    spec.top_k = static_cast<std::uint32_t>(fields["top_k"].whole(0, spec.classes));
    spec.shard_rows = static_cast<std::uint32_t>(fields["shard_rows"].whole(1, max_shard_rows));
    spec.batch_size = static_cast<std::uint32_t>(fields["batch_size"].whole(0, max_shard_rows));
    spec.ids_hash = fields["ids_hash"].text();
    spec.model_hash = fields["model_hash"].text();
    spec.preprocess_hash = fields["preprocess_hash"].text();
    manifest.finished = fields["finished"].truth();
    spec.provenance_json = json_line(fields["provenance"].object());
    check_spec(spec);
    if (format < 3) return manifest;
    spec.id = fields["id"].name();
    spec.dataset_id = fields["dataset_id"].name();
    spec.import_hash = fields["import_hash"].text();
    if (fields.has("decoder"))
        spec.decoder = static_cast<std::uint32_t>(fields["decoder"].whole(1, UINT32_MAX));
    if (fields.has("part")) {
        const JsonReader part = fields["part"];
        spec.part.of = static_cast<std::uint32_t>(part["of"].whole(1, max_parts));
        spec.part.number = static_cast<std::uint32_t>(part["number"].whole(0, spec.part.of));
    }
    if (!manifest.finished) return manifest;
    const ShardRange own = shards_of(spec.part, shard_count(spec));
    const std::vector<std::string> records = fields["records"].texts();
    if (records.size() != own.size()) {
        refuse(fmt::format("`records` has {} entries for {} shards", records.size(), own.size()));
    }
    if (std::find(records.begin(), records.end(), "") != records.end())
        refuse("`records` has an empty entry");
    manifest.records.assign(shard_count(spec), std::string());
    std::copy(records.begin(), records.end(),
              manifest.records.begin() + static_cast<std::ptrdiff_t>(own.begin));
    return manifest;
}

Manifest read_manifest(const fs::path& path) {
    constexpr std::string_view remedy =
        "restore an earlier copy, or make the store again with another --out";
    return with_note(fmt::format("reading `{}`", path.string()), [&] {
        return with_remedy(path, remedy,
                           [&] { return parse_manifest(read_text(path, max_json_bytes)); });
    });
}

void check_finished(const Manifest& manifest, std::size_t shard, std::string_view record_hash) {
    if (manifest.records.empty() || manifest.records[shard].empty() ||
        manifest.records[shard] == record_hash)
        return;
    refuse(
        fmt::format("`{}.json` changed after the store was finished: its checksum is {}, but "
                    "manifest.json has {}",
                    shard_stem(shard), record_hash, shortened(manifest.records[shard])));
}

ComputedOn computed_on_of(const StoreSpec& spec) {
    const json all = provenance_of(spec);
    const auto text = [&](const char* key) {
        const auto found = all.find(key);
        return found != all.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    return {text("device"), text("framework"), text("precision")};
}

namespace {

json section(const StoreSpec& spec, const char* key) {
    const json all = provenance_of(spec);
    const auto found = all.find(key);
    return found != all.end() && found->is_object() ? *found : json::object();
}

/// The source of the scores: a model's file, or a file of scores.
std::string source_of(const StoreSpec& spec) {
    const json file = section(spec, "import").value("file", json());
    const json path = section(spec, "model").value("path", json());
    return file.is_string()   ? file.get<std::string>()
           : path.is_string() ? path.get<std::string>()
                              : std::string();
}

void compare_models(const StoreSpec& recorded, const StoreSpec& wanted,
                    std::vector<std::string>& found) {
    const SameOrigin same = same_origin(recorded, wanted);
    if (!same.file) {
        const bool imported = wanted.preprocess_hash.empty();
        const std::string what = imported ? "the file of scores" : "the model's file";
        const std::string there = source_of(recorded), now = source_of(wanted);
        found.push_back(there.empty() || now.empty() ? what + " is another one"
                        : there == now
                            ? fmt::format("{} `{}` has changed", what, now)
                            : fmt::format("{} was `{}` and is now `{}`", what, there, now));
    }
    const json there = section(recorded, "model"), now = section(wanted, "model");
    const auto precision_of = [](const StoreSpec& spec) {
        const std::string named = computed_on_of(spec).precision;
        return named.empty() ? std::string("fp32") : named;
    };
    const bool precise = precision_of(recorded) == precision_of(wanted);
    if (!precise) {
        found.push_back(fmt::format("the precision was `{}` and is now `{}`",
                                    precision_of(recorded), precision_of(wanted)));
    }
    const auto runtime_of = [](const StoreSpec& spec) {
        const json named = provenance_of(spec).value("runtime", json());
        return named.is_string() ? named.get<std::string>() : std::string("libtorch");
    };
    const bool one_runtime = runtime_of(recorded) == runtime_of(wanted);
    if (!one_runtime) {
        found.push_back(fmt::format("the runtime was `{}` and is now `{}` (--runtime)",
                                    runtime_of(recorded), runtime_of(wanted)));
    }
    // The form in which model/fused_graph.h writes it.
    const auto graph_of = [](const StoreSpec& spec) {
        const json named = provenance_of(spec).value("memory_format", json());
        return named.is_string() && named.get<std::string>().ends_with(", fused") ? "fused"
                                                                                  : "written";
    };
    const std::string_view graph_there = graph_of(recorded), graph_now = graph_of(wanted);
    const bool one_graph = !one_runtime || graph_there == graph_now;
    if (!one_graph) {
        found.push_back(
            fmt::format("the model's graph was computed as `{}` and is now `{}`, which rounds "
                        "differently (set ASSAY_GRAPH={} in the environment to resume)",
                        graph_there, graph_now, graph_there));
    }
    if (!same.preprocessing) {
        const std::string fields = field_differences(there.value("preprocess", json::object()),
                                                     now.value("preprocess", json::object()));
        // The hash also covers the settings of an attack, the precision, the runtime and the graph,
        // which may be the only difference.
        const std::string settings =
            field_differences(section(recorded, "scored_by"), section(wanted, "scored_by"));
        if (fields.empty() && !settings.empty()) {
            found.push_back("the settings of the attack or the smoothing differ: " + settings);
        } else if ((precise && one_runtime && one_graph) || !fields.empty()) {
            found.push_back(
                fmt::format("the preprocessing differs{}{}", fields.empty() ? "" : ": ", fields));
        }
    }
    // Another entry of a tuple is another classifier in the same file.
    const json entry_there = there.value("output", json()), entry_now = now.value("output", json());
    if (entry_there.is_string() && entry_now.is_string() && entry_there != entry_now) {
        const auto name = [](const json& entry) {
            return entry == "" ? std::string("its only one") : shown_field(entry);
        };
        found.push_back(fmt::format("the model's output entry was `{}` and is now `{}`",
                                    name(entry_there), name(entry_now)));
    }
}

}  // namespace

std::vector<std::string> differences(const StoreSpec& recorded, const StoreSpec& wanted) {
    std::vector<std::string> found;
    const auto compare = [&](std::string_view what, const auto& there, const auto& now) {
        if (there != now)
            found.push_back(fmt::format("{} was `{}` and is now `{}`", what, there, now));
    };
    compare_models(recorded, wanted, found);
    if (!recorded.id.empty()) {
        compare("the data set", recorded.dataset_name, wanted.dataset_name);
        if (!same_origin(recorded, wanted).rows) {
            found.emplace_back(
                "the rows of the file now belong to different items, or its columns to different "
                "classes");
        }
    }
    compare("the number of items", recorded.rows, wanted.rows);
    if (recorded.rows == wanted.rows && !same_items(recorded, wanted)) {
        found.emplace_back("the items have different ids, or another order");
    } else if (!recorded.id.empty() && same_name(recorded, wanted) &&
               !same_description(recorded, wanted)) {
        found.emplace_back(
            "the labels, attributes or classes in dataset.json and items.csv have changed");
    }
    compare("the number of classes", recorded.classes, wanted.classes);
    compare("the kind of scores", name_of(recorded.kind), name_of(wanted.kind));
    compare("the storage format", name_of(recorded.storage), name_of(wanted.storage));
    compare("top_k", recorded.top_k, wanted.top_k);
    if (recorded.decoder > wanted.decoder) {
        found.push_back(
            fmt::format("a newer Assay decoded the images (decoder {}; this one has {})",
                        recorded.decoder, wanted.decoder));
    }
    if (wanted.batch_size != 0) compare("the batch size", recorded.batch_size, wanted.batch_size);
    if (wanted.shard_rows != 0) compare("shard_rows", recorded.shard_rows, wanted.shard_rows);
    return found;
}

}  // namespace assay::store
