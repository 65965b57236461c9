// assay show: one image, its labels, and what each model sees in it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "annotation/item_finder.h"
#include "assay/error.h"
#include "assay/store/row_reader.h"
#include "cli/command.h"
#include "cli/labels.h"
#include "cli/table.h"
#include "core/json_text.h"

namespace assay::cli {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::string_view examples = R"(
assay show n01440764/img_0001.JPEG runs/val
assay show 00041207 runs --labels real.json
assay show cat/7.png runs/val/resnet50 --top 10
assay show cat/7.png runs --json
)";

/// What one model says of the image.
struct View {
    std::string model, why;
    std::vector<RankedClass> answers;
    std::vector<std::optional<RowReader::Place>> places;  ///< of each label
    std::optional<std::uint32_t> hits;                    ///< among the labels.size() best
    std::uint32_t depth = 0;
};

struct Image {
    const Dataset* dataset = nullptr;
    std::size_t item = 0;
    std::vector<std::int32_t> labels;
    std::vector<View> views;
};

std::string name_of_class(const ClassList& classes, std::int32_t c) {
    const auto index = static_cast<std::size_t>(c);
    return index < classes.size() ? classes.name(index) : std::to_string(c);
}

std::string id_of_class(const ClassList& classes, std::int32_t c) {
    const auto index = static_cast<std::size_t>(c);
    return index < classes.size() ? classes.id(index) : std::to_string(c);
}

Image look(const std::vector<PredictionStore>& stores, std::size_t item, const LabelSets& labels,
           std::size_t top) {
    Image image;
    image.dataset = &stores.front().dataset();
    image.item = item;
    if (item < labels.size()) image.labels.assign(labels[item].begin(), labels[item].end());
    for (const PredictionStore& store : stores) {
        const RowReader reader(store);
        View view;
        view.model = store.spec().model_name;
        view.depth = reader.depth();
        view.why = reader.why_not(item);
        if (reader.top(item, top, view.answers) == RowStatus::ok) {
            for (const std::int32_t c : image.labels)
                view.places.push_back(reader.place_of(item, c));
            RowPrediction read;
            reader.read(item, image.labels, read, RowReader::Detail::ranking);
            if (read.hits >= 0) view.hits = static_cast<std::uint32_t>(read.hits);
        }
        image.views.push_back(std::move(view));
    }
    return image;
}

bool is_right(const Image& p, std::int32_t c) {
    return std::find(p.labels.begin(), p.labels.end(), c) != p.labels.end();
}

std::string percent(float p) {
    return fmt::format("{:.1f} %", 100 * static_cast<double>(p));
}

std::string as_text(const Image& p, bool colour) {
    const Dataset& d = *p.dataset;
    std::string labels;
    for (const std::int32_t c : p.labels)
        labels += fmt::format("{}{} ({})", labels.empty() ? "" : ", ", name_of_class(d.classes, c),
                              id_of_class(d.classes, c));
    std::string text =
        fmt::format("{}{}{}\n", colour ? "\033[1m" : "", d.ids[p.item], colour ? "\033[0m" : "");
    text += fmt::format("item {} of {} in {}\n", p.item, d.size(), d.name);
    if (d.paths.size() > 0 && d.paths[p.item] != d.ids[p.item] && !d.paths[p.item].empty())
        text += fmt::format("path: {}\n", d.paths[p.item]);
    text += fmt::format("{}: {}\n", p.labels.size() == 1 ? "label" : "labels",
                        labels.empty() ? "none" : labels);
    for (const auto& attribute : d.attributes) {
        if (!attribute.values[p.item].empty())
            text += fmt::format("{}: {}\n", attribute.name, attribute.values[p.item]);
    }
    constexpr int bar_cells = 24;
    for (const View& view : p.views) {
        text += "\n";
        Table table({{view.model}, {""}, {"", Align::right}, {""}});
        for (const RankedClass& a : view.answers) {
            table.add({name_of_class(d.classes, a.cls), is_right(p, a.cls) ? "✓" : "",
                       percent(a.probability), bar(static_cast<double>(a.probability), bar_cells)});
        }
        if (!view.why.empty()) {
            table.footer("no scores: " + view.why);
            text += table.text(colour);
            continue;
        }
        for (std::size_t i = 0; i < p.labels.size(); ++i) {
            const auto& place = view.places[i];
            if (place && place->rank < view.answers.size()) continue;  // shown above
            table.footer(place ? fmt::format("{}: place {}, {}",
                                             name_of_class(d.classes, p.labels[i]), place->rank + 1,
                                             percent(place->probability))
                               : fmt::format("{}: not among the {} kept",
                                             name_of_class(d.classes, p.labels[i]), view.depth));
        }
        if (view.hits) {
            table.footer(fmt::format("variable top-k: {} of the {} best {} right", *view.hits,
                                     p.labels.size(), *view.hits == 1 ? "is" : "are"));
        } else if (!p.labels.empty()) {
            table.footer(fmt::format("variable top-k: not known: {} labels, {} classes kept",
                                     p.labels.size(), view.depth));
        }
        text += table.text(colour);
    }
    return text;
}

json as_json(const Image& p) {
    const Dataset& d = *p.dataset;
    json out = {{"id", std::string(d.ids[p.item])},
                {"item", p.item},
                {"dataset", d.name},
                {"labels", json::array()},
                {"attributes", json::object()},
                {"models", json::array()}};
    if (d.paths.size() > 0) out["path"] = std::string(d.paths[p.item]);
    const auto class_json = [&](std::int32_t c) {
        return json{
            {"class", c}, {"id", id_of_class(d.classes, c)}, {"name", name_of_class(d.classes, c)}};
    };
    for (const std::int32_t c : p.labels) out["labels"].push_back(class_json(c));
    for (const auto& attribute : d.attributes)
        out["attributes"][attribute.name] = std::string(attribute.values[p.item]);
    for (const View& view : p.views) {
        json row = {{"model", view.model},
                    {"kept", view.depth},
                    {"answers", json::array()},
                    {"labels", json::array()}};
        if (!view.why.empty()) row["not_scored"] = view.why;
        for (const RankedClass& a : view.answers) {
            json answer = class_json(a.cls);
            answer["probability"] = static_cast<double>(a.probability);
            answer["right"] = is_right(p, a.cls);
            row["answers"].push_back(std::move(answer));
        }
        for (std::size_t i = 0; i < view.places.size(); ++i) {
            json label = class_json(p.labels[i]);
            if (view.places[i]) {
                label["place"] = view.places[i]->rank + 1;
                label["probability"] = static_cast<double>(view.places[i]->probability);
            }
            row["labels"].push_back(std::move(label));
        }
        row["variable_top_k_hits"] = view.hits ? json(*view.hits) : json(nullptr);
        out["models"].push_back(std::move(row));
    }
    return out;
}

/// Stores of the same items and classes together, in the order of the paths.
std::vector<std::vector<std::string>> by_items(const std::vector<std::string>& paths) {
    std::map<fs::path, std::string> fingerprints;  // of the class lists, by the data set's folder
    std::vector<std::pair<std::string, std::vector<std::string>>> groups;
    for (const std::string& path : paths) {
        for (const fs::path& folder : find_stores(path)) {
            const PredictionStore store = PredictionStore::open(folder);
            // Class numbers mean the same in one folder, as the class list is the data set's.
            std::string& classes = fingerprints[store.folder().parent_path()];
            if (classes.empty()) classes = store.dataset().classes.fingerprint();
            const std::string key = store.spec().ids_hash + "/" + store.spec().dataset_name + "/" +
                                    std::to_string(store.classes()) + "/" + classes;
            auto group = std::find_if(groups.begin(), groups.end(),
                                      [&](const auto& g) { return g.first == key; });
            if (group == groups.end()) group = groups.insert(groups.end(), {key, {}});
            group->second.push_back(folder.string());
        }
    }
    std::vector<std::vector<std::string>> out;
    for (auto& [key, folders] : groups) out.push_back(std::move(folders));
    return out;
}

}  // namespace

int cmd_show(std::vector<std::string> arguments) {
    auto app = make_app(
        "show",
        "Show one image's labels and each model's best classes; right ones are marked. IMAGE is an "
        "item's id, its path, or an end of either that no other item has.",
        examples);
    std::string image;
    std::vector<std::string> paths;
    fs::path labels;
    std::size_t top = 5;
    Output output;
    app->add_option("image", image, "The image")->required()->type_name("IMAGE");
    app->add_option("path", paths, "RUNS folder, one of its data sets, or stores (default: runs)")
        ->type_name("RUNS");
    app->add_option("--labels", labels, "Labels instead of the data set's own: json, csv, txt, npy")
        ->type_name("FILE");
    app->add_option("--top", top, "How many classes of each model")
        ->type_name("K")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app->add_flag("--json", output.json, "Print the result as JSON");
    app->add_option("-o,--output", output.file,
                    "Write the result to FILE instead of stdout (-: stdout)")
        ->type_name("FILE");
    if (!parse(*app, std::move(arguments))) return Status::done;
    if (paths.empty()) paths.emplace_back("runs");

    const auto groups = by_items(paths);
    std::vector<Image> images;
    std::vector<std::vector<PredictionStore>> opened;
    std::optional<Error> unknown, misfit;
    for (const auto& folders : groups) {
        auto stores = open_stores_together(folders);
        const Dataset& dataset = stores.front().dataset();
        std::size_t item = 0;
        try {
            item = item_named(dataset, image);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::usage) throw;
            if (!unknown) unknown = error;
            continue;
        }
        LabelSets given;
        try {
            if (!labels.empty()) given = read_label_sets(labels, dataset, dataset.classes);
        } catch (const Error& error) {
            // Several data sets may hold the image, and a file of labels is made for one of them.
            if (groups.size() == 1 || error.code() != ErrorCode::bad_input) throw;
            note(fmt::format("not shown: {}, which the labels do not fit: {}", dataset.name,
                             error.message()));
            if (!misfit) misfit = error;
            continue;
        }
        images.push_back(look(stores, item, labels.empty() ? dataset.labels : given, top));
        opened.push_back(std::move(stores));
    }
    if (images.empty() && misfit) throw *misfit;
    if (images.empty()) {
        if (groups.size() > 1)
            unknown->add_note(fmt::format("looking in {} data sets", groups.size()));
        throw *unknown;
    }
    if (output.json) {
        json out = {{"schema", "assay.image/1"}, {"images", json::array()}};
        for (const Image& one : images) out["images"].push_back(as_json(one));
        output.write(json_text(out));
    } else {
        std::string text;
        for (const Image& one : images)
            text += (text.empty() ? "" : "\n") +
                    as_text(one, output.to_stdout() && stdout_is_terminal());
        output.write(text);
    }
    return Status::done;
}

}  // namespace assay::cli
