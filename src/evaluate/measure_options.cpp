#include "assay/evaluate/measure_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "assay/error.h"
#include "assay/evaluate/score.h"
#include "assay/report.h"
#include "core/paths.h"
#include "evaluate/default_metrics.h"
#include "evaluate/given_labels.h"
#include "evaluate/options_used.h"
#include "evaluate/read_given.h"
#include "evaluate/thresholds.h"
#include "evaluate/truth.h"
#include "metric/other_names.h"

namespace assay {
namespace {

// "top1,ece:bins=20,edges=right_closed,asma:subgroups=2,3,4": a piece that is a number, or has '='
// and no ':', belongs to the metric before it.
void split_metrics(const std::string& text, std::vector<std::string>& list) {
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        const std::string piece = text.substr(begin, comma - begin);
        const bool parameter =
            piece.find('=') != std::string::npos && piece.find(':') == std::string::npos;
        const bool number =
            !piece.empty() && piece.find_first_not_of("0123456789-") == std::string::npos;
        if (!list.empty() && (parameter || number)) {
            list.back() += "," + piece;
        } else {
            list.push_back(piece);
        }
        begin = comma + 1;
    }
}

bool takes(const MetricFacts& facts, std::string_view parameter) {
    return std::any_of(facts.parameters.begin(), facts.parameters.end(),
                       [&](const ParameterFacts& p) { return p.name == parameter; });
}

// Parameters in a request have priority over the options for all metrics.
void add_request(std::vector<MetricRequest>& list, const std::string& text,
                 const MeasureOptions& options) {
    const MetricFacts& facts = *parse_metric(text).facts;
    if (own_metric_name(text) == facts.name && facts.numbered_by == "k" && !options.k.empty()) {
        for (const int k : options.k) {
            list.push_back(parse_metric(text));
            list.back().set("k", std::to_string(k));
        }
        return;
    }
    std::string full = text;
    for (const auto& p : facts.parameters) {
        const std::string name(p.name);
        const std::string value = name == "bins" && options.bins > 0 ? std::to_string(options.bins)
                                  : name == "edges"                  ? options.edges
                                                                     : "";
        if (value.empty() || text.find(name + "=") != std::string::npos) continue;
        full += (full.find(':') == std::string::npos ? ":" : ",") + name + "=" + value;
    }
    list.push_back(parse_metric(full));
}

// Must run before the plug-ins' metrics are named.
void open_plugins(const MeasureOptions& options) {
    for (const auto& file : options.plugins.plugin) load_metrics(file);
}

// Adds the metrics of the plug-ins if no metric is named.
void add_plugins(std::vector<MetricRequest>& list, const MeasureOptions& options, bool single) {
    for (const auto& file : options.plugins.plugin) {
        for (const MetricFacts* const facts : load_metrics(file)) {
            if (single || (facts->needs & static_cast<unsigned>(Needs::labels)) == 0)
                list.push_back({facts, {}});
        }
    }
}

std::vector<MetricRequest> named_metrics(const MeasureOptions& options) {
    open_plugins(options);
    std::vector<std::string> texts;
    for (const std::string& list : options.metrics) split_metrics(list, texts);
    std::vector<MetricRequest> list;
    for (const std::string& text : texts) add_request(list, text, options);
    return list;
}

// Sets the numbers of labels from the options, if the request is for a mean over them.
void set_subgroups(MetricRequest& request, const MeasureOptions& options) {
    if (options.subgroups.empty() || !takes(*request.facts, "subgroups")) return;
    std::string counts;
    bool present = false;
    for (const std::string& piece : options.subgroups) {
        if (piece == "present") {
            present = true;
        } else {
            counts += (counts.empty() ? "" : ",") + piece;
        }
    }
    const std::string name(request.facts->name);
    const std::string usual = parse_metric(name).parameters.at("subgroups");
    std::string& subgroups = request.parameters["subgroups"];
    if (!counts.empty() && subgroups == usual) {
        subgroups = with_note("reading the subgroups `" + counts + "`", [&] {
            return parse_metric(name + ":subgroups=" + counts).parameters.at("subgroups");
        });
    }
    if (!present) return;
    // Without a number, the request is for every number of labels.
    if (counts.empty() && subgroups == usual)
        subgroups = fmt::format("1-{}", most_labels_per_image);
    request.parameters["absent"] = "skipped";
}

/// Adds these metrics after accuracy. With two classes, each label is among the two highest scores,
/// so a top-k that was not requested is meaningless.
void add_of_positive_class(std::vector<MetricRequest>& list, bool k_asked) {
    const auto is_top = [](const MetricRequest& r) { return r.facts->numbered_by == "k"; };
    if (!k_asked)
        std::erase_if(
            list, [&](const MetricRequest& r) { return is_top(r) && r.parameters.at("k") != "1"; });
    auto at = std::ranges::find_if_not(list, is_top);
    for (const std::string_view text : of_positive_class)
        at = std::next(list.insert(at, parse_metric(text)));
}

std::string positive_class_text(const ClassList& classes) {
    const std::string name =
        classes.size() == 2 && !is_numbered(classes) ? fmt::format(", `{}`,", classes.name(1)) : "";
    return fmt::format(
        "class 1{} is the positive class of auroc and f1; their macro means are "
        "`--metrics auroc,f1`",
        name);
}

}  // namespace

LabelCoverage coverage_of(std::span<const std::int32_t> targets, const LabelSets& sets) {
    LabelCoverage coverage;
    for (std::size_t i = 0; i < targets.size(); ++i) coverage.add(targets[i], sets[i]);
    return coverage;
}

DefaultMetrics default_metrics_for(const LabelCoverage& coverage, bool cues, unsigned given,
                                   const MeasureOptions& options) {
    const bool few = is_sliver(coverage.single, coverage.labelled);
    const bool only_soft =
        coverage.labelled == 0 && (given & static_cast<unsigned>(Needs::soft_labels)) != 0;
    const auto metrics = [&](bool single) {
        const bool with_single = !only_soft && (single || !coverage.several);
        std::vector<MetricRequest> list = default_metrics(
            options.k, options.bins, options.edges, coverage.several, with_single, cues, given);
        if (with_single && coverage.two_classes) add_of_positive_class(list, !options.k.empty());
        add_plugins(list, options, with_single);
        return list;
    };
    DefaultMetrics result{metrics(!few), ""};
    if (!few || !coverage.several || coverage.single == 0) return result;
    std::string names;
    for (const MetricRequest& request : metrics(true)) {
        if (std::find(result.metrics.begin(), result.metrics.end(), request) ==
            result.metrics.end())
            names += (names.empty() ? "" : ", ") + request.text();
    }
    result.left_out =
        fmt::format("{}: hidden by default: {}; to measure them, name them with --metrics",
                    sliver_text(coverage.single, coverage.labelled), names);
    return result;
}

DefaultMetrics metrics_of(const MeasureOptions& options, const LabelCoverage& coverage, bool cues,
                          unsigned given) {
    DefaultMetrics chosen;
    std::vector<MetricRequest>& list = chosen.metrics;
    if (options.metrics.empty()) {
        chosen = default_metrics_for(coverage, cues, given, options);
    } else {
        list = named_metrics(options);
    }
    if (!options.subgroups.empty()) {
        const auto averages = [](const MetricRequest& r) { return takes(*r.facts, "subgroups"); };
        if (std::none_of(list.begin(), list.end(), averages)) {
            throw Error(ErrorCode::usage,
                        options.metrics.empty()
                            ? "--subgroups only applies to asma, which is hidden because no image "
                              "has several labels: pass label sets with --labels FILE"
                            : "--subgroups only applies to asma: add asma to --metrics");
        }
        for (MetricRequest& request : list) set_subgroups(request, options);
    }
    for (const Gate& gate : gates_of(options)) {
        if (!gate.rate && std::find(list.begin(), list.end(), gate.metric) == list.end())
            list.push_back(gate.metric);
    }
    return chosen;
}

MetricRequest reliability_of(const MeasureOptions& options) {
    MetricRequest bins = parse_metric("ece");
    if (options.bins > 0) bins.set("bins", std::to_string(options.bins));
    if (!options.edges.empty()) bins.set("edges", options.edges);
    return bins;
}

std::vector<Gate> gates_of(const MeasureOptions& options) {
    open_plugins(options);
    std::vector<Gate> list;
    for (const std::string& text : options.gates) {
        list.push_back(parse_gate(text));
        if (!list.back().rate) set_subgroups(list.back().metric, options);
    }
    return list;
}

void check(const MeasureOptions& options, bool differences) {
    for (const Gate& gate : gates_of(options)) {
        if (gate.delta && !differences)
            check_gate(gate, std::span<const Measurement>());  // reports what the gate needs
        const bool changed = !options.cluster.empty() || !options.class_map.empty() ||
                             !options.labels.empty() || options.label_sets || options.soft_labels;
        if (gate.rate && changed) check_gate(gate, std::span<const Measurement>());
    }
    if (!options.cluster.empty() && options.null_draws > 0)
        throw Error(ErrorCode::usage,
                    "--null draws the labels of independent images: omit --null or --cluster");
    std::vector<MetricRequest> list =
        options.metrics.empty() ? default_metrics(options.k, options.bins, options.edges, true)
                                : named_metrics(options);
    for (MetricRequest& request : list) set_subgroups(request, options);
    if (!options.class_map.empty() && !is_there(options.class_map))
        class_map_named(options.class_map, imagenet_classes());
    for (const std::string& text : options.labels) parse_labels(text);
    if (options.label_votes && options.labels.empty())
        throw Error(ErrorCode::usage, "--label-votes is for a file of labels: add --labels FILE");
    if ((!options.label_column.empty() || !options.image_column.empty()) && options.labels.empty())
        throw Error(ErrorCode::usage,
                    "--label-column and --image-column name columns of a file of labels: add "
                    "--labels FILE");
    const auto expect_file = [](const char* what, const std::filesystem::path& file,
                                const char* hint = "") {
        if (file.empty() || is_there(file)) return;
        throw Error(ErrorCode::bad_input,
                    fmt::format("the {} `{}`: there is no such file{}", what, file.string(), hint));
    };
    if (options.hierarchy != "imagenet")
        expect_file("hierarchy", options.hierarchy, "; `imagenet` is built in");
    expect_file("order of the classes", options.class_order);
    expect_file("thresholds", options.threshold_file);
    for (const std::string& named : options.thresholds) check_threshold(named);
    if ((!options.threshold_file.empty() || !options.thresholds.empty()) &&
        std::ranges::none_of(list, [](const auto& r) { return takes(*r.facts, "threshold"); }))
        throw Error(ErrorCode::usage,
                    "class thresholds only apply to metrics of sigmoids: add --metrics "
                    "multilabel_f1,exact_match");
}

namespace {

/// The names of the metrics for which `chosen` is true: "ece and ace", "a, b and c".
template <class Chosen>
std::string metrics_with(const Chosen& chosen) {
    std::vector<std::string_view> names;
    for (const MetricFacts& facts : metric_table()) {
        if (chosen(facts)) names.push_back(facts.name);
    }
    if (names.size() < 2) return fmt::format("{}", fmt::join(names, ""));
    const std::string_view last = names.back();
    names.pop_back();
    return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

bool uses_bootstrap(const MetricFacts& facts) {
    return facts.uncertainty == Uncertainty::bootstrap;
}

[[noreturn]] void refuse_bootstrap(GivenResampling given) {
    throw Error(ErrorCode::usage,
                fmt::format("--{} has no effect here, because only {} use the bootstrap: omit it, "
                            "or add one of them to --metrics",
                            given.bootstrap ? "bootstrap" : "seed", metrics_with(uses_bootstrap)));
}

}  // namespace

void check_used(const MeasureOptions& options, bool reliability) {
    if (options.metrics.empty()) return;
    std::vector<std::string> names;
    for (const std::string& list : options.metrics) split_metrics(list, names);
    const std::vector<MetricRequest> list = named_metrics(options);
    for (const auto& [name, given] :
         {std::pair("bins", options.bins != 0), std::pair("edges", !options.edges.empty())}) {
        const std::string_view parameter = name;
        const auto has = [&](const MetricRequest& r) { return takes(*r.facts, parameter); };
        if (!given || reliability || std::ranges::any_of(list, has)) continue;
        throw Error(ErrorCode::usage,
                    fmt::format("--{} only applies to {}: add one of them to --metrics", parameter,
                                metrics_with([&](const MetricFacts& facts) {
                                    return takes(facts, parameter);
                                })));
    }
    const auto is_numbered = [](const std::string& name) {
        const MetricFacts& facts = *parse_metric(name).facts;
        return own_metric_name(name) == facts.name && facts.numbered_by == "k";
    };
    if (!options.k.empty() && std::ranges::none_of(names, is_numbered))
        throw Error(ErrorCode::usage,
                    "--k only applies to topk: add topk to --metrics, or name each (top1,top5)");
}

GivenResampling check_used(const MeasureOptions& options, GivenResampling given, bool by_groups) {
    given.seed = given.seed && options.null_draws == 0 && !by_groups;
    if (options.metrics.empty() || !(given.bootstrap || given.seed)) return given;
    std::vector<MetricRequest> list = named_metrics(options);
    for (const Gate& gate : gates_of(options)) {
        if (!gate.rate) list.push_back(gate.metric);
    }
    // Its halves are drawn with the seed.
    if (std::ranges::any_of(
            list, [](const auto& r) { return r.facts->name == "temperature_scaled_ece"; }))
        given.seed = false;
    const bool any = given.bootstrap || given.seed;
    if (any && std::ranges::none_of(list, [](const auto& r) { return uses_bootstrap(*r.facts); }))
        refuse_bootstrap(given);
    return given;
}

void check_used(std::span<const Measurement> measured, GivenResampling given) {
    if (!(given.bootstrap || given.seed)) return;
    for (const Measurement& one : measured) {
        if (!one.value) return;
        if (one.interval && one.interval->method.starts_with("bootstrap")) return;
    }
    refuse_bootstrap(given);
}

ScoreOptions resolve(const MeasureOptions& options, const PredictionStore& store) {
    if (!options.labels.empty()) {
        const PredictionStore* const one = &store;
        return resolve(GivenLabels(options, {&one, 1}).measure_for(options, store), store);
    }
    ScoreOptions resolved;
    resolved.resampling = options.resampling;
    resolved.threads = options.threads;
    resolved.null_draws = options.null_draws;
    resolved.cluster = options.cluster;
    const Dataset& dataset = store.dataset();
    if (!options.class_map.empty()) {
        // The built-in maps are for ImageNet's classes, whatever classes the data set has
        // (ImageNet-R's 200, 16 folders).
        const ClassList& model =
            dataset.classes.size() == store.classes() ? dataset.classes : imagenet_classes();
        resolved.map = class_map_named(options.class_map, model);
    }
    resolved.labels = options.label_sets;
    resolved.unnamed = options.unnamed;
    resolved.given =
        read_given_truth(options, store, resolved.map ? &*resolved.map : nullptr, resolved.notes);
    const LabelSets& sets = resolved.labels ? *resolved.labels : dataset.labels;
    const LabelSets& single = only_valid_stands_in(dataset.labels, sets) ? sets : dataset.labels;
    LabelCoverage coverage = coverage_of(OnlyMembers(single), sets);
    coverage.two_classes = (resolved.map ? resolved.map->targets.size() : store.classes()) == 2;
    DefaultMetrics chosen =
        metrics_of(options, coverage, has_cues(dataset), resolved.given.needs());
    resolved.metrics = std::move(chosen.metrics);
    resolved.left_out = std::move(chosen.left_out);
    if (options.metrics.empty() && coverage.two_classes && coverage.single > 0)
        resolved.notes.push_back(
            positive_class_text(resolved.map ? resolved.map->targets : dataset.classes));
    return resolved;
}

}  // namespace assay
