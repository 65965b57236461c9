#include "cli/scoring.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <set>

#include "assay/error.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "data/label_rows.h"

namespace assay::cli {
namespace {

// "top1,ece:bins=20,edges=right_closed,asma:subgroups=2,3,4": a piece with '=' and without ':', or
// a number, belongs to the metric before it.
void split_metrics(const std::string& text, std::vector<std::string>& list) {
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        const std::string piece = text.substr(begin, comma - begin);
        const bool parameter =
            piece.find('=') != std::string::npos && piece.find(':') == std::string::npos;
        const bool number = !piece.empty() && piece[0] >= '0' && piece[0] <= '9';
        if (!list.empty() && (parameter || number)) {
            list.back() += "," + piece;
        } else {
            list.push_back(piece);
        }
        begin = comma + 1;
    }
}

// ReaL's json, csv, txt, npy; or a folder whose images' places say their classes.
LabelSets labels_from(const std::filesystem::path& path, const Dataset& dataset,
                      std::uint64_t& unnamed) {
    if (!std::filesystem::is_directory(path))
        return read_label_sets(path, dataset, dataset.classes, &unnamed);
    return with_note("reading the labels of the folder " + path.string(), [&] {
        DatasetOptions options;
        options.classes = dataset.classes;
        const Dataset folder = open_dataset(path, options);
        NamedRows rows;
        rows.keys = folder.ids;
        rows.rows = folder.labels;
        return rows_by_key(rows, dataset, folder.name, &unnamed);
    });
}

}  // namespace

void ScoringFlags::add_to(CLI::App& app) {
    app.add_option("--metrics", metrics_,
                   "Metrics, comma-separated, with parameters: top1,ece:bins=20,asma.jaccard; "
                   "repeatable (default: all, "
                   "those of label sets where images have several labels)")
        ->type_name("LIST")
        ->allow_extra_args(false);  // one argument after each: what follows may be a path
    app.add_option("--labels", labels_,
                   "Labels to score against instead of the data set's own: ReaL's json, csv, txt, "
                   "npy, or an ImageFolder")
        ->type_name("FILE");
    app.add_option("--class-map,--classes-map", class_map_,
                   "Ask over other classes: imagenet-a, imagenet-r, 16-class, in9, or a file")
        ->type_name("NAME");
    app.add_option("--bins", bins_, "Bins of the calibration errors (default 15)")
        ->check(CLI::Range(1, 100));
    app.add_option("--edges", edges_,
                   "Edge rule of ece: left_closed, left_closed_merged, right_closed")
        ->type_name("RULE");
    app.add_option("--k", k_, "The k of top-k, several allowed (default 1 5)")
        ->check(CLI::Range(1, 100))
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--subgroups", subgroups_,
                   "Label counts that asma averages over (default 1-5), like 2,3,4,6,9; with "
                   "`present`: those without "
                   "images are skipped, where else they leave it undefined")
        ->type_name("LIST")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--bootstrap", bootstrap_, "Bootstrap replicates; 0: jackknife")
        ->capture_default_str();
    app.add_option("--null", null_draws_,
                   "Draw labels N times from the probabilities (200 is usual): what ece and ace "
                   "would be if calibrated")
        ->type_name("N")
        ->check(CLI::Range(0, 10000));
    app.add_option("--seed", seed_, "Seed of the bootstrap and of --null")
        ->check(decimal_number())
        ->capture_default_str();
    app.add_option("--level", level_, "Confidence level of the intervals")
        ->check(CLI::Range(0.5, 0.9999))
        ->capture_default_str();
    app.add_option("-j,--threads", threads_, "Threads (default: all cores)")
        ->check(CLI::NonNegativeNumber);
    app.add_option("--gate", gates_,
                   "A condition to meet, e.g. \"top1 >= 0.75\", \"low(top1) >= 70%\"; repeatable; "
                   "status 1 when one "
                   "breaks, 2 when no value can reach its bound")
        ->type_name("CONDITION")
        ->allow_extra_args(false);
}

std::vector<Gate> ScoringFlags::gates() const {
    std::vector<Gate> list;
    for (const auto& text : gates_) {
        list.push_back(parse_gate(text));
        set_subgroups(list.back().metric);
    }
    return list;
}

void ScoringFlags::set_subgroups(MetricRequest& request) const {
    if (subgroups_.empty() || request.facts->name != "asma") return;
    std::string counts;
    bool present = false;
    for (const std::string& piece : subgroups_) {
        if (piece == "present") {
            present = true;
        } else {
            counts += (counts.empty() ? "" : ",") + piece;
        }
    }
    const std::string usual = parse_metric("asma").parameters.at("subgroups");
    std::string& subgroups = request.parameters["subgroups"];
    if (!counts.empty() && subgroups == usual) {  // what a request says itself goes first
        subgroups = with_note("reading --subgroups", [&] {
            return parse_metric("asma:subgroups=" + counts).parameters.at("subgroups");
        });
    }
    if (present) request.parameters["absent"] = "skipped";
}

std::vector<MetricRequest> ScoringFlags::named_metrics() const {
    std::vector<MetricRequest> list;
    std::vector<std::string> texts;
    for (const auto& arguments : metrics_) split_metrics(arguments, texts);
    for (const auto& text : texts) {
        std::string full = text;
        const MetricFacts& facts =
            *parse_metric(std::string_view(text).substr(0, text.find(':'))).facts;
        for (const auto& p : facts.parameters) {  // --bins and --edges fill in what was not said
            const std::string name(p.name), value = name == "bins" && bins_ > 0
                                                        ? std::to_string(bins_)
                                                    : name == "edges" ? edges_
                                                                      : "";
            if (value.empty() || text.find(name + "=") != std::string::npos) continue;
            full += (full.find(':') == std::string::npos ? ":" : ",") + name + "=" + value;
        }
        if (text == "topk" && !k_.empty()) {
            for (const int k : k_) list.push_back(parse_metric(fmt::format("top{}", k)));
            continue;
        }
        list.push_back(parse_metric(full));
    }
    return list;
}

void ScoringFlags::check(bool differences) const {
    for (const Gate& gate : gates()) {
        if (gate.delta && !differences)
            check_gate(gate, std::span<const Measurement>());  // says what it needs
    }
    std::vector<MetricRequest> list =
        metrics_.empty() ? default_metrics(k_, bins_, edges_, true) : named_metrics();
    for (MetricRequest& request : list) set_subgroups(request);
    if (!class_map_.empty() && !std::filesystem::exists(class_map_))
        class_map_named(class_map_, imagenet_classes());
    if (!labels_.empty() && !std::filesystem::exists(labels_))
        throw Error(ErrorCode::bad_input, "no labels at `" + labels_.string() + "`");
}

std::vector<MetricRequest> ScoringFlags::requests(const LabelSets& labels, bool cues) const {
    std::vector<MetricRequest> list;
    if (metrics_.empty()) {
        const bool several = !labels.is_single();
        bool single = !several;
        for (std::size_t i = 0; i < labels.size() && !single; ++i) single = labels[i].size() == 1;
        list = default_metrics(k_, bins_, edges_, several, single, cues);
    } else {
        list = named_metrics();
    }
    if (!subgroups_.empty()) {
        const auto is_asma = [](const MetricRequest& request) {
            return request.facts->name == "asma";
        };
        if (std::none_of(list.begin(), list.end(), is_asma)) {
            throw Error(
                ErrorCode::usage,
                metrics_.empty()
                    ? "--subgroups is for asma, which is not shown: no image has several labels"
                    : "--subgroups is for asma, which is not among the --metrics");
        }
        for (MetricRequest& request : list) set_subgroups(request);
    }
    for (const Gate& gate : gates()) {
        if (std::find(list.begin(), list.end(), gate.metric) == list.end())
            list.push_back(gate.metric);
    }
    return list;
}

ScoreOptions ScoringFlags::options_for(const PredictionStore& store) const {
    ScoreOptions options;
    options.resampling = {level_, bootstrap_, seed_};
    options.threads = threads_;
    options.null_draws = null_draws_;
    const Dataset& dataset = store.dataset();
    if (!class_map_.empty()) {
        // The built-in maps are for ImageNet's classes, whatever the data set's own are
        // (ImageNet-R's 200, 16 folders).
        const ClassList& model =
            dataset.classes.size() == store.classes() ? dataset.classes : imagenet_classes();
        options.map = class_map_named(class_map_, model);
    }
    if (!labels_.empty()) options.labels = labels_from(labels_, dataset, options.unnamed);
    options.metrics =
        requests(options.labels ? *options.labels : dataset.labels, has_cues(dataset));
    return options;
}

void warn_of_unnamed(std::uint64_t unnamed, std::uint64_t images,
                     const std::filesystem::path& labels) {
    if (unnamed == 0) return;
    warn(fmt::format("{} of {} images are not named in {}; they count as without labels",
                     count_text(unnamed), count_text(images),
                     labels.filename().empty() ? labels.string() : labels.filename().string()));
}

bool in_percent(const std::string& metric) {
    return metric.starts_with("top") || metric == "real" || metric == "balanced" ||
           metric == "confidence" || metric == "overconfidence" || metric == "asma" ||
           metric == "variable_topk" || metric == "subgroup_accuracy";
}

std::string number_text(double value, double half_width, bool percent) {
    const double scale = percent ? 100 : 1;
    value *= scale;
    half_width *= scale;
    // Two digits of the uncertainty; without one, four of the value.
    const double unit = half_width > 0 ? half_width / 10 : std::abs(value) / 1000;
    const int digits =
        unit > 0 ? std::clamp(static_cast<int>(std::ceil(-std::log10(unit))), 0, 9) : 2;
    return fmt::format("{:.{}f}", value, percent ? std::clamp(digits, 1, 4) : std::max(digits, 2));
}

namespace {
double half_of(const std::optional<Interval>& interval) {
    return interval ? (interval->high - interval->low) / 2 : 0;
}
}  // namespace

std::string value_text(const Measurement& m) {
    if (!m.value) return "–";
    const bool percent = in_percent(m.key.metric);
    const double half = half_of(m.interval);
    const std::string text = number_text(*m.value, half, percent);
    return m.interval ? text + " ±" + number_text(half, half, percent) : text;
}

std::string interval_text(const std::optional<Interval>& interval, bool percent) {
    if (!interval) return "";
    const double half = half_of(interval);
    return number_text(interval->low, half, percent) + " – " +
           number_text(interval->high, half, percent);
}

std::string metric_text(const MeasurementKey& key) {
    std::string text = key.metric;
    const MetricFacts& facts = metric_named(key.metric);
    if (facts.name == "topk") return text;
    for (const auto& p : facts.parameters) {
        const auto found = key.parameters.find(std::string(p.name));
        if (found == key.parameters.end() ||
            (found->second == p.fallback && p.name != "spread" && p.name != "variant"))
            continue;
        text += (text == key.metric ? " (" : ", ") +
                (p.allowed.empty() || p.name == "absent" ? std::string(p.name) + " " : "") +
                found->second;
    }
    return text == key.metric ? text : text + ")";
}

std::string p_text(std::optional<double> p) {
    if (!p) return "";
    return *p < 1e-6    ? "< 1e-6"
           : *p < 0.001 ? fmt::format("{:.1e}", *p)
                        : fmt::format("{:.3f}", *p);
}

std::string gates_text(const std::vector<GateResult>& results, bool colour) {
    if (results.empty()) return "";
    // Whose value it is goes without saying where there is one only.
    const auto differ = [&](std::string GateResult::*part) {
        return std::any_of(results.begin(), results.end(),
                           [&](const GateResult& r) { return r.*part != results.front().*part; });
    };
    const bool models = differ(&GateResult::model), datasets = differ(&GateResult::dataset);
    std::vector<Table::Column> columns{{"gate"}};
    if (datasets) columns.push_back({"data set"});
    if (models) columns.push_back({results.front().baseline.empty() ? "model" : "candidate"});
    columns.push_back({"found", Align::right});
    columns.push_back({""});
    Table table(columns, "Gates");
    for (const GateResult& result : results) {
        std::vector<std::string> cells{result.gate.text};
        if (datasets) cells.push_back(result.dataset);
        if (models) cells.push_back(result.model);
        cells.push_back(result.value ? fmt::format("{:.6g}", *result.value) : "–");
        cells.push_back(result.passed           ? "passed"
                        : result.reason.empty() ? "BROKEN"
                                                : "BROKEN: " + result.reason);
        table.add(std::move(cells));
    }
    return "\n" + table.text(colour);
}

bool all_passed(const std::vector<GateResult>& results) {
    return std::all_of(results.begin(), results.end(),
                       [](const GateResult& r) { return r.passed; });
}

}  // namespace assay::cli
