// assay list: what there is: metrics, presets, class maps, formats, stores.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "assay/data/class_list.h"
#include "assay/error.h"
#include "assay/metric/metric.h"
#include "assay/model/model_spec.h"
#include "assay/store/prediction_store.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "core/json_text.h"

namespace assay::cli {
namespace {

using nlohmann::json;

constexpr std::string_view examples = R"(
assay list
assay list metrics
assay list metrics --markdown
assay list presets --json
assay list runs
)";

/// One listing as a table and as JSON.
struct Listing {
    Table table;
    json rows = json::array();
};

Listing list_metrics() {
    Listing listing{Table({{"metric"}, {"definition"}, {"formula"}, {"from"}}, "Metrics"),
                    metric_table_json()};
    for (const MetricFacts& facts : metric_table()) {
        const MetricRequest request = parse_metric(facts.name);
        listing.table.add({std::string(facts.name), request.definition(),
                           std::string(facts.formula), std::string(facts.origin)});
    }
    listing.table.footer(
        "Parameters: assay list metrics --markdown; a request looks like "
        "ece:bins=20,edges=right_closed");
    return listing;
}

Listing list_presets() {
    Listing listing{Table({{"preset"}, {"resolves to"}, {"for"}}, "Presets")};
    for (const Preset& preset : presets()) {
        listing.table.add({preset.name, describe(preset.preprocess), preset.summary});
        listing.rows.push_back({{"name", preset.name},
                                {"summary", preset.summary},
                                {"preprocess", to_json(preset.preprocess)}});
    }
    return listing;
}

Listing list_class_maps() {
    Listing listing{Table({{"class map"}, {"classes", Align::right}, {"answer"}}, "Class maps")};
    for (const std::string& name : class_map_names()) {
        const ClassMap map = class_map_named(name, imagenet_classes());
        const char* answer = map.decision == ClassMap::Decision::restrict_
                                 ? "highest score among the listed classes"
                             : map.decision == ClassMap::Decision::mean_of_group
                                 ? "highest mean probability of a group"
                                 : "highest score of all, then mapped";
        listing.table.add({name, std::to_string(map.targets.size()), answer});
        listing.rows.push_back(
            {{"name", name}, {"classes", map.targets.ids()}, {"answer", answer}});
    }
    return listing;
}

Listing list_formats() {
    static constexpr std::array<std::array<std::string_view, 3>, 8> formats = {{
        {"model", ".pt", "TorchScript"},
        {"model", ".onnx", "ONNX, opset 7 to 22, operators of the usual vision classifiers"},
        {"images", ".jpg .jpeg .png .webp .bmp .tif .tiff", "as Pillow reads them"},
        {"predictions", ".npy .npz .safetensors", "N x C, float16 / 32 / 64"},
        {"predictions", ".csv .tsv .jsonl", "full matrix, or top-k with timm's columns"},
        {"labels", ".json", "list per image (ReaL), or file -> labels"},
        {"labels", ".csv .txt .npy", "image,label rows; one label a line; N x C of 0/1"},
        {"settings", ".toml .json", "sidecars, assay.toml"},
    }};
    Listing listing{Table({{"what"}, {"files"}, {"contents"}}, "Formats")};
    for (const auto& [what, files, contents] : formats) {
        listing.table.add({std::string(what), std::string(files), std::string(contents)});
        listing.rows.push_back({{"what", what}, {"files", files}, {"contents", contents}});
    }
    return listing;
}

void add_damaged(Listing& listing, const std::filesystem::path& folder, const std::string& why) {
    listing.table.add({folder.string(), "?", "?", "?", "?", "damaged: " + why});
    listing.rows.push_back({{"store", folder.string()}, {"damaged", why}});
}

void add_store(Listing& listing, const std::filesystem::path& folder) try {
    const PredictionStore store = PredictionStore::open(folder);
    const std::string state =
        store.complete()
            ? "complete"
            : fmt::format("{} of {} shards missing", store.missing_shards(), store.shards());
    listing.table.add({folder.string(), count_text(store.rows()), count_text(store.classes()),
                       std::string(name_of(store.spec().kind)),
                       std::string(name_of(store.spec().storage)), state});
    listing.rows.push_back({{"store", folder.string()},
                            {"model", store.spec().model_name},
                            {"dataset", store.spec().dataset_name},
                            {"rows", store.rows()},
                            {"classes", store.classes()},
                            {"kind", name_of(store.spec().kind)},
                            {"storage", name_of(store.spec().storage)},
                            {"missing_shards", store.missing_shards()}});
} catch (const Error& error) {
    add_damaged(listing, folder, error.what());
}

Listing list_stores(const std::string& path) {
    Listing listing{Table({{"store"},
                           {"rows", Align::right},
                           {"classes", Align::right},
                           {"kind"},
                           {"kept"},
                           {"state"}})};
    const StoreFolders found = look_for_stores(path);
    for (const auto& folder : found.stores) add_store(listing, folder);
    for (const auto& fault : found.faults) add_damaged(listing, fault.folder, fault.why);
    return listing;
}

struct Topic {
    const char* name;
    Listing (*list)();
};
constexpr std::array<Topic, 4> topics = {{
    {"metrics", list_metrics},
    {"presets", list_presets},
    {"maps", list_class_maps},
    {"formats", list_formats},
}};

}  // namespace

int cmd_list(std::vector<std::string> arguments) {
    auto app = make_app("list",
                        "Show the metrics with their definitions, the presets, the class maps, the "
                        "formats, or the stores "
                        "below a folder.",
                        examples);
    std::string what;
    bool markdown = false;
    Output output;
    app->add_option("what", what,
                    "metrics, presets, maps, formats, or a RUNS folder (default: all but stores)");
    app->add_flag("--markdown", markdown, "With metrics: the whole table as docs/definitions.md");
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    if (markdown) {
        if (what != "metrics")
            throw Error(ErrorCode::usage, "--markdown goes with `assay list metrics`");
        output.write(metric_table_markdown());
        return Status::done;
    }
    std::vector<std::pair<std::string, Listing>> chosen;
    std::vector<std::string> names;
    for (const Topic& topic : topics) {
        names.emplace_back(topic.name);
        if (what.empty() || what == topic.name) chosen.emplace_back(topic.name, topic.list());
    }
    if (chosen.empty()) {
        if (!std::filesystem::exists(what)) {
            throw Error(ErrorCode::usage,
                        "`" + what + "` is no folder and nothing to list" + suggest(what, names));
        }
        chosen.emplace_back("stores", list_stores(what));
    }
    if (output.csv && chosen.size() != 1)
        throw Error(ErrorCode::usage,
                    "--csv takes one of metrics, presets, maps, formats, a folder");

    std::string text;
    if (output.json) {
        json all = json::object();
        for (const auto& [name, listing] : chosen) all[name] = listing.rows;
        text = json_text(all);
    } else {
        for (const auto& [name, listing] : chosen) {
            text += output.csv ? listing.table.csv()
                               : (text.empty() ? "" : "\n") +
                                     listing.table.text(output.to_stdout() && stdout_is_terminal());
        }
    }
    output.write(text);
    return Status::done;
}

}  // namespace assay::cli
