#include "assay/evaluate/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "assay/data/class_list.h"
#include "assay/error.h"
#include "assay/metric/metric.h"
#include "assay/model/model_spec.h"
#include "assay/robustness/corruption.h"
#include "assay/store/prediction_store.h"

namespace assay {
namespace {

using nlohmann::json;

/// One table for people and the same things as JSON.
struct Listing {
    Table table;
    json rows = json::array();
    std::size_t meaning = 1;  ///< column that says the most in few words
};

/// The same table with column names for programs: "resolves to" -> resolves_to.
Table for_programs(Table table) {
    for (Column& column : table.columns)
        std::replace(column.name.begin(), column.name.end(), ' ', '_');
    return table;
}

Listing begin(std::string title, std::vector<Column> columns) {
    return {
        Table{.title = std::move(title), .columns = std::move(columns), .rows = {}, .notes = {}}};
}

Listing metrics() {
    Listing listing = begin(
        "Metrics", {{"metric", false}, {"definition", false}, {"formula", false}, {"from", false}});
    for (const MetricFacts& facts : metric_table()) {
        listing.table.add({std::string(facts.name), parse_metric(facts.name).definition(),
                           std::string(facts.formula), std::string(facts.origin)});
    }
    listing.table.notes = {
        "Parameters: assay list metrics --markdown; a request looks like "
        "ece:bins=20,edges=right_closed"};
    listing.rows = metric_table_json();
    listing.meaning = 2;  // the formula
    return listing;
}

Listing corruption_rows() {
    Listing listing = begin(
        "Corruptions",
        {{"corruption", false}, {"group", false}, {"severities 1 to 5", false}, {"from", false}});
    for (const Corruption& c : corruptions()) {
        const std::string_view from = !c.file.empty() ? c.file
                                      : c.extra       ? "not in the mean of the 15"
                                                      : "Hendrycks and Dietterich 2019";
        listing.table.add({std::string(c.name), std::string(c.group), std::string(c.parameters),
                           std::string(from)});
        listing.rows.push_back({{"name", c.name},
                                {"group", c.group},
                                {"severities", c.parameters},
                                {"extra", c.extra},
                                {"min_side", c.min_side}});
        if (c.file.empty()) continue;
        listing.rows.back()["plugin"] = c.file;
        listing.rows.back()["definition"] = c.definition;
    }
    listing.meaning = 2;
    return listing;
}

Listing preset_rows() {
    Listing listing = begin("Presets", {{"preset", false}, {"resolves to", false}, {"for", false}});
    for (const Preset& preset : presets()) {
        listing.table.add({preset.name, describe(preset.preprocess), preset.summary});
        listing.rows.push_back({{"name", preset.name},
                                {"summary", preset.summary},
                                {"preprocess", to_json(preset.preprocess)}});
    }
    return listing;
}

std::string_view meaning_of(ClassMap::Decision decision) {
    switch (decision) {
        case ClassMap::Decision::restrict_:
            return "highest score among the listed classes";
        case ClassMap::Decision::mean_of_group:
            return "highest mean probability of a group";
        case ClassMap::Decision::map_argmax:
            break;
    }
    return "highest score of all, then mapped";
}

Listing class_maps() {
    Listing listing =
        begin("Class maps", {{"class map", false}, {"classes"}, {"predicted class", false}});
    for (const std::string& name : class_map_names()) {
        const ClassMap map = class_map_named(name, imagenet_classes());
        const std::string meaning(meaning_of(map.decision));
        listing.table.add({name, Count{map.targets.size()}, meaning});
        listing.rows.push_back(
            {{"name", name}, {"classes", map.targets.ids()}, {"predicted_class", meaning}});
    }
    listing.meaning = 2;
    return listing;
}

Listing formats() {
    static constexpr std::array<std::array<std::string_view, 3>, 10> known = {{
        {"model", ".pt", "TorchScript"},
        {"model", ".pt2", "torch.export"},
        {"model", ".onnx", "ONNX, opset 1 to 25, operators of the usual vision classifiers"},
        {"images", ".jpg .jpeg .png .webp .bmp .tif .tiff", "as Pillow reads them"},
        {"predictions", ".npy .npz .safetensors", "N x C, float16 / 32 / 64"},
        {"predictions", ".csv .tsv .jsonl .json", "full matrix, or top-k with timm's columns"},
        {"predictions", ".json", "COCO's results; FiftyOne's labels.json and samples.json"},
        {"labels", ".json", "list per image (ReaL), or file -> labels"},
        {"labels", ".csv .txt .npy", "image,label rows; one label a line; N x C of 0/1"},
        {"settings", ".toml .json", "sidecars, assay.toml"},
    }};
    Listing listing = begin("Formats", {{"what", false}, {"files", false}, {"contents", false}});
    for (const auto& [what, files, contents] : known) {
        listing.table.add({std::string(what), std::string(files), std::string(contents)});
        listing.rows.push_back({{"what", what}, {"files", files}, {"contents", contents}});
    }
    listing.meaning = 2;
    return listing;
}

Listing environment() {
    Listing listing =
        begin("Environment", {{"variable", false}, {"value", false}, {"meaning", false}});
    for (const auto& [name, value, meaning] : environment_variables()) {
        listing.table.add({std::string(name), std::string(value), std::string(meaning)});
        listing.rows.push_back({{"name", name}, {"value", value}, {"meaning", meaning}});
    }
    listing.meaning = 2;
    return listing;
}

void add_damaged(Listing& listing, const std::filesystem::path& folder, const std::string& why) {
    listing.table.add({folder.string(), "?", "?", "?", "?", "damaged: " + why});
    listing.rows.push_back({{"store", folder.string()}, {"damaged", why}});
}

void add_store(Listing& listing, const std::filesystem::path& folder) try {
    const PredictionStore store = PredictionStore::open(folder);
    const std::string kind(name_of(store.spec().kind)), storage(name_of(store.spec().storage));
    listing.table.add({folder.string(), Count{store.rows()}, Count{store.classes()}, kind, storage,
                       store.complete() ? "complete"
                                        : fmt::format("{} of {} shards missing",
                                                      store.missing_shards(), store.shards())});
    listing.rows.push_back({{"store", folder.string()},
                            {"model", store.spec().model_name},
                            {"dataset", store.spec().dataset_name},
                            {"rows", store.rows()},
                            {"classes", store.classes()},
                            {"kind", kind},
                            {"storage", storage},
                            {"missing_shards", store.missing_shards()}});
} catch (const Error& error) {
    add_damaged(listing, folder, error.what());
}

void add(Report& report, std::string_view name, Listing listing) {
    for (const auto& row : listing.table.rows)
        report.records.add({std::string(name), row.at(0), row.at(listing.meaning)});
    report.sections.push_back({.title = "", .blocks = {std::move(listing.table)}, .sections = {}});
    report.result[std::string(name)] = std::move(listing.rows);
}

struct Topic {
    std::string_view name;
    Listing (*list)();
};
/// One more thing to list: a function, a row.
constexpr std::array<Topic, 6> topics = {{
    {"metrics", metrics},
    {"corruptions", corruption_rows},
    {"presets", preset_rows},
    {"maps", class_maps},
    {"formats", formats},
    {"environment", environment},
}};

}  // namespace

const std::vector<std::string>& listing_topics() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> list;
        list.reserve(topics.size());
        for (const Topic& topic : topics) list.emplace_back(topic.name);
        return list;
    }();
    return names;
}

Report listing(std::string_view topic) {
    Report report;
    report.result = {{"schema", "assay.list/1"}};
    report.records.columns = {{"topic", false}, {"name", false}, {"meaning", false}};
    for (const Topic& one : topics) {
        if (topic.empty() || topic == one.name) add(report, one.name, one.list());
    }
    if (report.sections.size() == 1)
        report.records = for_programs(std::get<Table>(report.sections[0].blocks[0]));
    if (report.sections.empty()) {
        throw Error(ErrorCode::usage, fmt::format("there is no list of `{}`{}", topic,
                                                  suggest(topic, listing_topics())));
    }
    return report;
}

Report store_listing(const std::filesystem::path& path) {
    Listing listing = begin("", {{"store", false},
                                 {"rows"},
                                 {"classes"},
                                 {"kind", false},
                                 {"storage", false},
                                 {"state", false}});
    const StoreFolders found = look_for_stores(path);
    for (const auto& folder : found.stores) add_store(listing, folder);
    for (const auto& fault : found.faults) add_damaged(listing, fault.folder, fault.why);
    Report report;
    report.sections.push_back({.title = "", .blocks = {std::move(listing.table)}, .sections = {}});
    report.result = {{"schema", "assay.list/1"}, {"stores", std::move(listing.rows)}};
    return report;
}

}  // namespace assay
