#include "assay/evaluate/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "assay/store/prediction_store.h"
#include "core/result_table.h"
#include "evaluate/described_program.h"
#include "evaluate/listed.h"
#include "metric/described_metric.h"

namespace assay {

std::string ListedStore::state() const {
    if (!facts) return "damaged: " + damaged;
    if (facts->missing_shards == 0) return "complete";
    return fmt::format("{} of {} shards missing", facts->missing_shards, facts->shards);
}

namespace {

using nlohmann::json;

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

std::string_view source_of(const Corruption& corruption) {
    if (!corruption.file.empty()) return corruption.file;
    return corruption.extra ? "not in the mean of the 15" : "Hendrycks and Dietterich 2019";
}

/// In csv, "?" means a damaged store.
template <auto member>
json fact_or_mark(const ListedStore& store) {
    return store.facts ? json((*store.facts).*member) : json("?");
}

/// A row of csv for several topics.
struct ListedRow {
    std::string topic, name, meaning;
};
ResultType result_type(ResultOf<ListedRow>) {
    static constexpr auto rows = describe_result<ListedRow>(
        {.name = "ListedRow", .columns = "topic,name,meaning"}, {
                                                                    part<&ListedRow::topic>({}),
                                                                    part<&ListedRow::name>({}),
                                                                    part<&ListedRow::meaning>({}),
                                                                });
    return rows;
}

}  // namespace

ResultType result_type(ResultOf<Corruption>) {
    static constexpr auto rows = describe_result<Corruption>(
        {.name = "ListedCorruption",
         .columns = "corruption=name,group,severities_1_to_5=severities,from"},
        {
            part<&Corruption::name>({}),
            part<&Corruption::group>({}),
            part<&Corruption::parameters>(
                {.help = "What severities 1 to 5 change", .name = "severities"}),
            part<&Corruption::extra>(
                {.help = "True if it is not among the 15 whose mean is reported"}),
            part<&Corruption::min_side>(
                {.help = "Smallest side that it can corrupt, pixels, at each severity"}),
            part<&Corruption::file>(
                {.help = "For a plug-in: its file", .name = "plugin", .omitted = true}),
            part({.help = "For a plug-in: its record, with the file's hash",
                  .name = "definition",
                  .omitted = true},
                 [](const Corruption& of) { return of.file.empty() ? nullptr : &of.definition; }),
            part({.name = "from", .only_csv = true},
                 [](const Corruption& of) { return source_of(of); }),
        });
    return rows;
}

ResultType result_type(ResultOf<Preset>) {
    static constexpr auto rows = describe_result<Preset>(
        {.name = "ListedPreset", .columns = "preset=name,resolves_to,for=summary"},
        {
            part<&Preset::name>({}),
            part<&Preset::summary>({.help = "Where these values come from"}),
            part({.name = "preprocess", .script = "Record<string, unknown>"},
                 [](const Preset& preset) { return to_json(preset.preprocess); }),
            part({.name = "resolves_to", .only_csv = true},
                 [](const Preset& preset) { return describe(preset.preprocess); }),
        });
    return rows;
}

ResultType result_type(ResultOf<ListedClassMap>) {
    static constexpr auto rows = describe_result<ListedClassMap>(
        {.name = "ListedClassMap", .columns = "class_map=name,classes=count,predicted_class"},
        {
            part<&ListedClassMap::name>({}),
            part(
                {.help = "Ids", .name = "classes"},
                [](const ListedClassMap& of) -> const auto& { return of.map.targets.ids(); }),
            part({.help = "How it is detected", .name = "predicted_class"},
                 [](const ListedClassMap& of) { return meaning_of(of.map.decision); }),
            part({.name = "count", .only_csv = true},
                 [](const ListedClassMap& of) { return of.map.targets.size(); }),
        });
    return rows;
}

ResultType result_type(ResultOf<ListedFormat>) {
    static constexpr auto rows =
        describe_result<ListedFormat>({.name = "ListedFormat", .columns = "what,files,contents"},
                                      {
                                          part<&ListedFormat::what>({}),
                                          part<&ListedFormat::files>({.help = "Endings"}),
                                          part<&ListedFormat::contents>({}),
                                      });
    return rows;
}

ResultType result_type(ResultOf<EnvironmentVariable>) {
    static constexpr auto rows = describe_result<EnvironmentVariable>(
        {.name = "ListedVariable", .columns = "variable=name,value,meaning"},
        {
            part<&EnvironmentVariable::name>({}),
            part<&EnvironmentVariable::value>({.help = "Allowed values"}),
            part<&EnvironmentVariable::meaning>({}),
        });
    return rows;
}

ResultType result_type(ResultOf<StoreFacts>) {
    static constexpr auto rows = describe_result<StoreFacts>(
        {.name = "StoreFacts"}, {
                                    part<&StoreFacts::model>({}),
                                    part<&StoreFacts::dataset>({}),
                                    part<&StoreFacts::rows>({}),
                                    part<&StoreFacts::classes>({}),
                                    part<&StoreFacts::kind>({.help = "Of the scores"}),
                                    part<&StoreFacts::storage>({}),
                                    part<&StoreFacts::missing_shards>({}),
                                });
    return rows;
}

ResultType result_type(ResultOf<ListedStore>) {
    static constexpr auto rows = describe_result<ListedStore>(
        {.name = "ListedStore",
         .columns = "store,rows=rows_or_mark,classes=classes_or_mark,kind=kind_or_mark,"
                    "storage=storage_or_mark,state"},
        {
            part<&ListedStore::folder>({.name = "store"}),
            part<&ListedStore::facts>({.inlined = true}),
            part<&ListedStore::damaged>({.help = "Why it cannot be read", .omitted = true}),
            part({.name = "rows_or_mark", .only_csv = true},
                 [](const ListedStore& of) { return fact_or_mark<&StoreFacts::rows>(of); }),
            part({.name = "classes_or_mark", .only_csv = true},
                 [](const ListedStore& of) { return fact_or_mark<&StoreFacts::classes>(of); }),
            part({.name = "kind_or_mark", .only_csv = true},
                 [](const ListedStore& of) { return of.facts ? of.facts->kind : "?"; }),
            part({.name = "storage_or_mark", .only_csv = true},
                 [](const ListedStore& of) { return of.facts ? of.facts->storage : "?"; }),
            part<&ListedStore::state>({.only_csv = true}),
        });
    return rows;
}

ResultType result_type(ResultOf<Listed>) {
    static constexpr auto rows = describe_result<Listed>(
        {.name = "ListResult",
         .help = "What `assay list` prints: a list for each requested topic",
         .schema = "assay.list/1"},
        {
            part<&Listed::metrics>({.omitted = true}),
            part<&Listed::corruptions>({.omitted = true}),
            part<&Listed::presets>({.omitted = true}),
            part<&Listed::maps>({.omitted = true}),
            part<&Listed::formats>({.omitted = true}),
            part<&Listed::environment>({.omitted = true}),
            part<&Listed::stores>({.omitted = true}),
        });
    return rows;
}

namespace {

std::vector<ListedClassMap> class_maps() {
    std::vector<ListedClassMap> out;
    for (const std::string& name : class_map_names())
        out.push_back({name, class_map_named(name, imagenet_classes())});
    return out;
}

constexpr std::array<ListedFormat, 11> formats = {{
    {"model", ".pt", "TorchScript"},
    {"model", ".pt2", "torch.export"},
    {"model", ".onnx", "ONNX, opset 1 to 25, operators of the usual vision classifiers"},
    {"images", ".jpg .jpeg .png .webp .bmp .tif .tiff .gif .ppm .pgm .pbm .pnm",
     "as Pillow reads them"},
    {"images", ".npy .npz .h5",
     "N x H x W, N x H x W x 3, N x 3 x H x W; MNIST's idx, CIFAR's batches"},
    {"predictions", ".npy .npz .safetensors .h5", "N x C, float16 / 32 / 64"},
    {"predictions", ".csv .tsv .txt .parquet .jsonl .json",
     "full matrix, or top-k with timm's columns"},
    {"predictions", ".json", "COCO's results; FiftyOne's labels.json and samples.json"},
    {"labels", ".json", "list per image (ReaL), or file -> labels"},
    {"labels", ".csv .txt .npy", "image,label rows; one label a line; N x C of 0/1"},
    {"settings", ".toml .json", "sidecars, assay.toml"},
}};

/// The table of a topic for csv, and its most informative column.
struct TopicTable {
    Table table;
    std::size_t meaning = 2;
};

template <class List>
TopicTable topic_table(const std::optional<List>& list, const char* title) {
    TopicTable out{table_of(*list)};
    out.table.title = title;
    return out;
}

TopicTable metrics(Listed& listed) {
    listed.metrics = metric_table();
    TopicTable out = topic_table(listed.metrics, "Metrics");
    out.table.notes = {
        "Parameters: assay list metrics --markdown; a request looks like "
        "ece:bins=20,edges=right_closed"};
    return out;
}

struct Topic {
    std::string_view name;
    TopicTable (*list)(Listed& listed);
};
/// To list another thing: add a member of Listed with a description, and a row.
constexpr std::array<Topic, 6> topics = {{
    {"metrics", metrics},
    {"corruptions",
     [](Listed& listed) {
         listed.corruptions = corruptions();
         return topic_table(listed.corruptions, "Corruptions");
     }},
    {"presets",
     [](Listed& listed) {
         listed.presets = std::span(presets());
         TopicTable out = topic_table(listed.presets, "Presets");
         out.meaning = 1;  // index of the text to which it resolves
         return out;
     }},
    {"maps",
     [](Listed& listed) {
         listed.maps = class_maps();
         return topic_table(listed.maps, "Class maps");
     }},
    {"formats",
     [](Listed& listed) {
         listed.formats = std::span(formats);
         return topic_table(listed.formats, "Formats");
     }},
    {"environment",
     [](Listed& listed) {
         listed.environment = environment_variables();
         return topic_table(listed.environment, "Environment");
     }},
}};

/// Column names for people: "resolves to" for resolves_to.
Table for_people(Table table) {
    for (Column& column : table.columns) std::ranges::replace(column.name, '_', ' ');
    return table;
}

/// Copies the facts in the store's manifest.
ListedStore listed_store(const std::filesystem::path& folder) try {
    const PredictionStore store = PredictionStore::open(folder);
    const StoreSpec& spec = store.spec();
    return {folder,
            StoreFacts{spec.model_name, spec.dataset_name, store.rows(), store.classes(),
                       std::string(name_of(spec.kind)), std::string(name_of(spec.storage)),
                       store.shards(), store.missing_shards()},
            {}};
} catch (const Error& error) {
    return {folder, {}, error.what()};
}

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
    Listed listed;
    std::vector<ListedRow> all;
    for (const Topic& one : topics) {
        if (!topic.empty() && topic != one.name) continue;
        TopicTable made = one.list(listed);
        for (const auto& row : made.table.rows)
            all.push_back({std::string(one.name), std::get<std::string>(row.at(0)),
                           std::get<std::string>(row.at(made.meaning))});
        if (!topic.empty()) report.records = made.table;
        report.sections.push_back(
            {.title = "", .blocks = {for_people(std::move(made.table))}, .sections = {}});
    }
    if (report.sections.empty()) {
        throw Error(ErrorCode::usage, fmt::format("there is no list of `{}`{}", topic,
                                                  suggest(topic, listing_topics())));
    }
    if (topic.empty()) report.records = table_of(all);
    report.result = json_of(listed);
    return report;
}

Report store_listing(const std::filesystem::path& path) {
    std::vector<ListedStore> stores;
    const StoreFolders found = look_for_stores(path);
    for (const auto& folder : found.stores) stores.push_back(listed_store(folder));
    for (const auto& fault : found.faults) stores.push_back({fault.folder, {}, fault.why});
    Report report;
    report.records = table_of(stores);
    report.sections.push_back({.title = "", .blocks = {report.records}, .sections = {}});
    Listed listed;
    listed.stores = std::move(stores);
    report.result = json_of(listed);
    return report;
}

}  // namespace assay
