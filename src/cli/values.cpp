#include "cli/values.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/error.h"
#include "assay/evaluate/listing.h"
#include "assay/few_labels/estimate.h"
#include "assay/labelling/folder.h"
#include "assay/mad/competition.h"
#include "assay/mad/distance.h"
#include "assay/metric/metric.h"
#include "assay/model/model_spec.h"
#include "assay/quality/dimension.h"
#include "assay/quality/quba.h"
#include "assay/report/draw.h"
#include "assay/robustness/corrupted_versions.h"
#include "assay/robustness/corruption.h"
#include "assay/store/prediction_store.h"
#include "core/text.h"
#include "store/parts.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
using Endings = std::span<const std::string_view>;

constexpr std::array<std::string_view, 1> any_file = {""};
constexpr std::array<std::string_view, 3> model_files = {".pt", ".pt2", ".onnx"};
constexpr std::array<std::string_view, 2> settings_files = {".toml", ".json"};
constexpr std::array<std::string_view, 5> image_lists = {".csv", ".tsv", ".parquet", ".tar",
                                                         ".zip"};
constexpr std::array<std::string_view, 5> label_files = {".json", ".csv", ".tsv", ".txt", ".npy"};
constexpr std::array<std::string_view, 4> class_files = {".txt", ".csv", ".tsv", ".json"};
constexpr std::array<std::string_view, 2> csv_files = {".csv", ".tsv"};
constexpr std::array<std::string_view, 3> vote_files = {".csv", ".tsv", ".npz"};
constexpr std::array<std::string_view, 2> table_files = {".csv", ".json"};
constexpr std::array<std::string_view, 1> json_files = {".json"};
constexpr std::array<std::string_view, 1> log_files = {".jsonl"};
constexpr std::array<std::string_view, 1> toml_files = {".toml"};
constexpr std::array<std::string_view, 1> html_files = {".html"};
constexpr std::array<std::string_view, 1> npy_files = {".npy"};
constexpr std::array<std::string_view, 1> png_files = {".png"};
constexpr std::array<std::string_view, 3> plot_files = {".svg", ".pdf", ".png"};

/// If a question to the file system fails, there is no proposal.
template <class Ask>
auto unless_it_fails(Ask&& ask) -> decltype(ask()) {
    try {
        return ask();
    } catch (const Error&) {
    } catch (const fs::filesystem_error&) {
    }
    return {};
}

bool is_store(const fs::path& folder) {
    return unless_it_fails([&] { return store::is_store_folder(folder); });
}
bool is_competition(const fs::path& folder) {
    return unless_it_fails([&] { return mad::is_competition(folder); });
}
bool is_asked_about(const fs::path& folder) {
    return is_competition(folder) ||
           unless_it_fails([&] { return labelling::is_labelling_folder(folder); });
}
bool is_store_or_asked_about(const fs::path& folder) {
    return is_store(folder) || is_asked_about(folder);
}

template <const auto& endings>
void offer_files(Offers& offers, const Given&) {
    offers.paths({.endings = endings});
}
void offer_folders(Offers& offers, const Given&) {
    offers.paths({});
}
void offer_runs(Offers& offers, const Given&) {
    offers.paths({.whole = is_store});
}
void offer_competitions(Offers& offers, const Given&) {
    offers.paths({.whole = is_competition});
}
void offer_studies(Offers& offers, const Given&) {
    offers.paths({.whole = few_labels::is_study});
}
/// All inputs of assay report.
void offer_measured(Offers& offers, const Given&) {
    offers.paths({.endings = table_files, .whole = is_store_or_asked_about});
}
void offer_source(Offers& offers, const Given&) {
    offers.paths({.endings = json_files, .whole = is_store});
}
void offer_logs(Offers& offers, const Given&) {
    offers.name("tensorboard:", "and a folder of event files");
    offers.paths({.endings = log_files});
}
void offer_classes(Offers& offers, const Given&) {
    offers.name("imagenet", "the 1000 classes of ImageNet");
    offers.paths({.endings = class_files});
}
void offer_hierarchies(Offers& offers, const Given&) {
    offers.name("imagenet", "WordNet above the classes of ImageNet");
    offers.paths({.endings = class_files});
}
void offer_tables(Offers& offers, const Given&) {
    offers.name("published", "the 326 models of the paper");
    offers.paths({.endings = table_files});
}
void offer_class_maps(Offers& offers, const Given&) {
    for (const std::string& name : class_map_names()) offers.name(name);
    offers.paths({.endings = class_files});
}
void offer_topics(Offers& offers, const Given&) {
    for (const std::string& topic : listing_topics()) offers.name(topic);
    offers.paths({.whole = is_store});
}

void offer_presets(Offers& offers, const Given&) {
    for (const Preset& preset : presets()) offers.name(preset.name, preset.summary);
}
void offer_weights(Offers& offers, const Given&) {
    for (const quality::WeightProfile& profile : quality::weight_profiles())
        offers.name(profile.name, profile.is);
}
void offer_dimensions(Offers& offers, const Given&) {
    for (const quality::DimensionFacts& facts : quality::dimension_facts())
        offers.name(facts.name, facts.is);
}
void offer_distances(Offers& offers, const Given&) {
    for (const mad::DistanceFacts& facts : mad::distance_table()) {
        if (facts.reading == mad::DistanceReading::matrix) continue;  // distances come from a file
        std::string name(facts.name);
        std::ranges::replace(name, '_', '-');  // as the help spells it; both spellings are
                                               // read
        offers.name(name, facts.is);
    }
}
void offer_plots(Offers& offers, const Given&) {
    for (const PlotRecipe& recipe : plot_recipes()) offers.name(recipe.name, recipe.is);
}
void offer_corruptions(Offers& offers, const Given&) {
    for (const std::string_view group : corruption_groups()) offers.name(group);
    for (const Corruption& c : corruptions()) offers.name(c.name, c.parameters);
}
void offer_storages(Offers& offers, const Given&) {
    offers.name("full", "all scores, float32");
    offers.name("f16", "all scores, half precision");
    offers.name("top5", "the five best; any other number likewise");
    offers.name("label", "the predicted class and its probability");
}

void offer_devices(Offers& offers, const Given&) {
    offers.name("auto", "a CUDA device if there is one");
    offers.name("cpu");
    offers.name("cuda");
    std::error_code none;
    for (int n = 0; fs::exists("/dev/nvidia" + std::to_string(n), none); ++n)
        offers.name("cuda:" + std::to_string(n));
}

void offer_metric_names(Offers& offers, const std::string& before) {
    for (const MetricFacts& facts : metric_table()) {
        for (const Parameters& variant : facts.variants) {
            MetricRequest request{&facts, variant};
            if (!facts.numbered_by.empty()) offers.name(before + request.name(), facts.title);
        }
        if (facts.numbered_by.empty()) offers.name(before + std::string(facts.name), facts.title);
    }
}

/// The remaining parameters of a metric, or the values of the typed one: "bins=",
/// "edges=left_closed". `has` are the parameters that it already has.
void offer_parameters(Offers& offers, const std::string& before, std::string_view metric,
                      std::string_view has) {
    const auto& table = metric_table();
    const auto facts = std::ranges::find(table, metric, &MetricFacts::name);
    if (facts == table.end()) return;
    for (const ParameterFacts& parameter : facts->parameters) {
        const std::string name = std::string(parameter.name) + "=";
        if (has.find(name) != std::string_view::npos) continue;
        if (!offers.typed().starts_with(before + name)) {
            offers.name(before + name, parameter.meaning);
            continue;
        }
        for (const std::string_view value : parameter.allowed)
            offers.name(before + name + std::string(value));
    }
}

/// For "top1,ece:bins=20,". Commas separate metrics, and also the parameters of one metric.
void offer_metrics(Offers& offers, const Given&) {
    const std::string_view typed = offers.typed();
    const std::size_t item = typed.rfind(',') + 1;  // npos + 1 is 0
    const std::string before(typed.substr(0, item));
    const std::size_t colon = typed.rfind(':');
    const bool has_parameters = colon != std::string_view::npos;
    if (has_parameters) {
        const std::size_t begin = typed.rfind(',', colon) + 1;
        const std::string_view metric = typed.substr(begin, colon - begin);
        const std::size_t last = std::max(item, colon + 1);
        offer_parameters(offers, std::string(typed.substr(0, last)), metric,
                         typed.substr(colon + 1, last - colon - 1));
    }
    if (has_parameters && colon >= item) return;
    offer_metric_names(offers, before);
    for_each_part(before, ",", [&](std::string_view other) {
        std::erase_if(offers.candidates(),
                      [&](const Candidate& c) { return c.text == before + std::string(other); });
    });
}

void offer_metric(Offers& offers, const Given&) {
    offer_metric_names(offers, "");
}

/// The stores in every folder that the line names, or in "runs".
std::vector<fs::path> stores_at_hand(const Given& given) {
    std::vector<fs::path> stores;
    const auto look = [&](const std::string& text) {
        const fs::path folder = expanded(text);
        std::error_code none;
        if (!fs::is_directory(folder, none)) return;
        const StoreFolders found = unless_it_fails([&] { return look_for_stores(folder); });
        stores.insert(stores.end(), found.stores.begin(), found.stores.end());
    };
    for (const auto& [name, value] : given.values) look(value);
    if (stores.empty()) look("runs");
    return stores;
}

std::string name_of_folder(const fs::path& folder) {
    return fs::absolute(folder).lexically_normal().filename().string();
}

void offer_datasets(Offers& offers, const Given& given) {
    for (const fs::path& store : stores_at_hand(given))
        offers.name(name_of_folder(store.parent_path()));
}

/// Names of a competition's classifiers if the line names a competition, otherwise of stored ones.
void offer_classifiers(Offers& offers, const Given& given) {
    for (const std::string& folder : given.of("competition")) {
        const auto classifiers =
            unless_it_fails([&] { return mad::Competition::open(expanded(folder)).classifiers(); });
        for (const mad::CompetitionClassifier& one : classifiers) offers.name(one.name);
        return;
    }
    for (const fs::path& store : stores_at_hand(given)) offers.name(name_of_folder(store));
}

/// Folders of stores, or names of data sets in --runs.
void offer_sets(Offers& offers, const Given& given) {
    if (!given.has("runs")) return offer_runs(offers, given);
    offer_datasets(offers, {.values = {{"runs", given.of("runs").front()}}});
}

/// The kinds in the order of the manual's table.
constexpr std::array kinds = {
    ValueKind{"RUNS",
              "A folder of stored predictions, RUNS/DATASET/CLASSIFIER; a data set or a store in "
              "it",
              offer_runs, false, PathIn::or_name},
    ValueKind{"STORE", "The stored predictions of one classifier on one data set", offer_runs},
    ValueKind{"DATASET", "The name of a data set, which is the name of its folder in RUNS",
              offer_datasets},
    ValueKind{"CLASSIFIER",
              "The name of a classifier, which is the name of its folder in RUNS/DATASET, or its "
              "name in a competition",
              offer_classifiers},
    ValueKind{"MODEL", "A model's file: TorchScript (.pt), torch.export (.pt2), ONNX (.onnx)",
              offer_files<model_files>},
    ValueKind{"SIDECAR", "A model's settings: TOML, JSON, or a folder of them",
              offer_files<settings_files>},
    ValueKind{"DATA",
              "Images with their labels: a folder, a csv list, Parquet files, tars, zip files",
              offer_files<image_lists>, false, PathIn::whole},
    ValueKind{"LABELS", "Labels of images: json, csv, txt, npy", offer_files<label_files>, false,
              PathIn::behind},
    ValueKind{"CLASSES", "imagenet, or a class list: text, csv, JSON", offer_classes, false,
              PathIn::or_name},
    ValueKind{"MAP", "A class map by its name (`assay list maps`), or a file", offer_class_maps,
              false, PathIn::or_name},
    ValueKind{"METRICS", "Metrics with commas between them (`assay list metrics`)", offer_metrics,
              true},
    ValueKind{"METRIC", "One metric", offer_metric},
    ValueKind{"COMPETITION", "The folder that `assay mad init` makes", offer_competitions},
    ValueKind{"STUDY", "The folder that `assay estimate select` makes", offer_studies},
    ValueKind{"TABLE", "A table of quality dimensions: csv, json, or published", offer_tables},
    ValueKind{"PRESET", "Preprocessing by a name (`assay list presets`)", offer_presets},
    ValueKind{"DEVICE", "auto, cpu, cuda, cuda:N, cuda:N,M", offer_devices},
    ValueKind{"STORAGE", "How much of each item's scores is stored: full, f16, topK, label",
              offer_storages},
    ValueKind{"CORRUPTIONS", "Corruptions of ImageNet-C or groups of them", offer_corruptions},
    ValueKind{"LOG", "FILE.jsonl, or tensorboard:DIR", offer_logs, false, PathIn::behind, ':'},
    ValueKind{"WEIGHTS", "Weights of the quality dimensions", offer_weights},
    ValueKind{"DIMENSION", "A quality dimension", offer_dimensions},
    ValueKind{"DISTANCE", "", offer_distances},
    ValueKind{"HIERARCHY", "", offer_hierarchies},
    ValueKind{"PLOT", "", offer_plots},
    ValueKind{"SOURCE", "", offer_source},
    ValueKind{"TOPIC", "", offer_topics},
    ValueKind{"V1 V2", "", offer_sets},
    ValueKind{"V3", "", offer_sets},
    ValueKind{"PATH", "", offer_measured},
    ValueKind{"FILE", "", offer_files<any_file>, false, PathIn::whole},
    ValueKind{"BOXES", "", offer_files<any_file>, false, PathIn::whole},
    ValueKind{"RESULTS", "A csv of published results, or METRIC=FILE", offer_files<csv_files>,
              false, PathIn::behind},
    ValueKind{"CSV", "", offer_files<csv_files>, false, PathIn::whole},
    ValueKind{"JSON", "", offer_files<json_files>},
    ValueKind{"PYTHON", "", offer_files<any_file>},
    ValueKind{"TOML", "", offer_files<toml_files>},
    ValueKind{"VOTES", "", offer_files<vote_files>},
    ValueKind{"FILE.npy", "", offer_files<npy_files>},
    ValueKind{"FILE.png", "", offer_files<png_files>},
    ValueKind{"PICTURE", "", offer_files<plot_files>},
    ValueKind{"FILE|FOLDER", "", offer_files<html_files>},
    ValueKind{"FOLDER", "", offer_folders, false, PathIn::whole},
    // Texts and numbers.
    ValueKind{"A", ""},
    ValueKind{"ADDRESS", ""},
    ValueKind{"ATTR", "An attribute of the data set's items"},
    ValueKind{"BITS", ""},
    ValueKind{"CLASS", "A class by its id or name"},
    ValueKind{"COLUMN", ""},
    ValueKind{"ATTRIBUTE=VALUE", "A column of the data set's attributes, and its value"},
    ValueKind{"COLUMNS", "Names with commas between them; * matches anything"},
    ValueKind{"CONDITION", "A comparison in quotes: \"top1 >= 0.75\""},
    ValueKind{"ALPHA", ""},
    ValueKind{"DPI", ""},
    ValueKind{"EPS", ""},
    ValueKind{"GLOB", "A pattern in quotes: * is anything"},
    ValueKind{"I/N", ""},
    ValueKind{"ID", ""},
    ValueKind{"IMAGE", ""},
    ValueKind{"IN=OUT", ""},
    ValueKind{"K", ""},
    ValueKind{"LIST", "Numbers with commas between them, and ranges: 2,3,6-9"},
    ValueKind{"LO,HI", "Two numbers; one is both"},
    ValueKind{"MIB", ""},
    ValueKind{"MM", ""},
    ValueKind{"N", ""},
    ValueKind{"N,N,...", "Whole numbers with commas between them"},
    ValueKind{"NAME", ""},
    ValueKind{"NAME=PATTERN", "A method, and its runs' stores; in them, * and ? are anything",
              nullptr, false, PathIn::behind},
    ValueKind{"NAME=SCALE", "A column, and the mean and deviation that scale it: gmacs=4:2"},
    ValueKind{"NAME=SIDE", "A column, and which of its values are better: low or high"},
    ValueKind{"NAME=VALUE", "The name of a class, or *, and a threshold from 0 to 1"},
    ValueKind{"NEED", ""},
    ValueKind{"NOTE", ""},
    ValueKind{"NUMBER", ""},
    ValueKind{"P", ""},
    ValueKind{"PIXELS", ""},
    ValueKind{"POINTS", ""},
    ValueKind{"QUALITY", ""},
    ValueKind{"R", ""},
    ValueKind{"SECONDS", ""},
    ValueKind{"SELECTOR", "TAG=VALUE, model=VALUE (* is anything), rows=1,5,7-9"},
    ValueKind{"SIGMA", ""},
    ValueKind{"SIZE", "The length of a step: 2/255, or eps/30 for a part of the budget"},
    ValueKind{"TAG", "A column of a table by which models are grouped"},
    ValueKind{"TAG,...", ""},
    ValueKind{"TAU", ""},
    ValueKind{"TEXT", ""},
    ValueKind{"URL", ""},
};

}  // namespace

std::span<const ValueKind> value_kinds() {
    return kinds;
}

const ValueKind* find_value_kind(std::string_view name) {
    const auto found = std::ranges::find(kinds, name, &ValueKind::name);
    return found == kinds.end() ? nullptr : &*found;
}

}  // namespace assay::cli
