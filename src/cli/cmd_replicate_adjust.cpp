// assay replicate adjust: the gap's decomposition for every classifier, with intervals.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/replication/adjust.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/replicate_inputs.h"
#include "cli/table.h"
#include "core/json_text.h"
#include "core/parallel.h"

namespace assay::cli {
namespace {

using namespace replication;
using Estimate = replication::Estimate;
using nlohmann::json;

constexpr std::string_view examples = R"(
assay replicate adjust original.csv replication.csv --hits original-hits.csv replication-hits.csv
assay replicate adjust original.csv replication.csv --hits runs/v1 runs/v2 --bootstrap 1000
assay replicate adjust original.csv replication.csv --hits runs/v1 runs/v2 --methods moments,naive,jackknife,mixture
assay replicate adjust original.csv replication.csv --hits a.csv b.csv --sweep 5,10,20,40 --json -o report.json
)";

std::string half(const Estimate& e, bool percent = true) {
    const double scale = percent ? 100 : 1;
    const int digits = percent ? 2 : 3;
    if (!e.interval) return fmt::format("{:.{}f}", scale * e.value, digits);
    return fmt::format("{:.{}f} ±{:.{}f}", scale * e.value, digits,
                       scale * (e.interval->high - e.interval->low) / 2, digits);
}

std::string range(const Estimate& e) {
    if (!e.interval) return "–";
    return fmt::format("{:.2f} – {:.2f}", 100 * e.interval->low, 100 * e.interval->high);
}

Table classifier_table(const AdjustReport& report, bool csv) {
    const MethodResult& main = report.methods.front();
    if (csv) {
        Table table({{"classifier"},
                     {"method"},
                     {"definition"},
                     {"original"},
                     {"replication"},
                     {"adjusted"},
                     {"standard_error"},
                     {"low"},
                     {"high"},
                     {"level"},
                     {"interval"},
                     {"gap"},
                     {"remaining"},
                     {"remaining_standard_error"},
                     {"selection_bias"},
                     {"selection_bias_standard_error"}});
        const auto exact = [](std::optional<double> x) {
            return x ? fmt::format("{}", *x) : std::string();
        };
        for (const MethodResult& method : report.methods) {
            for (std::size_t m = 0; m < method.adjusted.size(); ++m) {
                const Estimate& a = method.adjusted[m];
                const GapParts& g = method.gaps[m];
                table.add({report.classifiers[m], method.id, method.definition,
                           exact(report.first[m].value), exact(report.second[m].value),
                           exact(a.value), exact(a.standard_error),
                           a.interval ? exact(a.interval->low) : "",
                           a.interval ? exact(a.interval->high) : "",
                           a.interval ? exact(a.interval->level) : "",
                           a.interval ? a.interval->method : "", exact(g.gap.value),
                           exact(g.remaining.value), exact(g.remaining.standard_error),
                           exact(g.bias.value), exact(g.bias.standard_error)});
            }
        }
        return table;
    }
    Table table({{"classifier"},
                 {"original %", Align::right},
                 {"replication %", Align::right},
                 {"adjusted %", Align::right},
                 {"gap", Align::right},
                 {"remains", Align::right},
                 {"was selection", Align::right}},
                fmt::format("{} and {} images of {} classes; adjusted by {}",
                            count_text(report.first_images), count_text(report.second_images),
                            count_text(report.classes), main.definition));
    for (std::size_t m = 0; m < report.classifiers.size(); ++m) {
        const GapParts& g = main.gaps[m];
        table.add({report.classifiers[m], percent_text(report.first[m].value),
                   percent_text(report.second[m].value), half(main.adjusted[m]), half(g.gap),
                   half(g.remaining), half(g.bias)});
    }
    table.rule();
    table.add({"mean", percent_text(report.mean_first.value),
               percent_text(report.mean_second.value), half(main.mean_adjusted),
               half(main.mean_gap.gap), half(main.mean_gap.remaining), half(main.mean_gap.bias)});
    return table;
}

Table method_table(const AdjustReport& report) {
    Table table({{"method"},
                 {"mean adjusted %", Align::right},
                 {"interval", Align::right},
                 {"gap that remains", Align::right},
                 {"slope", Align::right}},
                "Methods, means over classifiers");
    table.add({"none", percent_text(report.mean_second.value), range(report.mean_second),
               percent_text(report.mean_first.value - report.mean_second.value),
               report.raw_line ? half(report.raw_line->slope, false) : "–"});
    for (const MethodResult& m : report.methods) {
        if (!m.undefined.empty()) {
            table.add({m.id, "–"});
            table.footer(m.id + ": " + m.undefined);
            continue;
        }
        table.add({m.id, percent_text(m.mean_adjusted.value), range(m.mean_adjusted),
                   half(m.mean_gap.remaining), m.line ? half(m.line->slope, false) : "–"});
        for (const std::string& text : m.notes) table.footer(m.id + ": " + text);
    }
    table.footer(
        "naive takes noisy frequencies for selection rates and corrects too little, the jackknife "
        "somewhat; ± is half "
        "the 95 % interval unless --level says otherwise");
    return table;
}

std::string verdict(const AdjustReport& report) {
    const GapParts& g = report.methods.front().mean_gap;
    if (g.gap.value == 0) return "";
    std::string out =
        fmt::format("Of a mean gap of {} points, {} remain and {} were selection bias.\n",
                    half(g.gap), half(g.remaining), half(g.bias));
    if (report.mean_sensitivity) {
        out += fmt::format("Other sets of exponents move the mean by {:.2f} points.\n",
                           100 * *report.mean_sensitivity);
    }
    return out;
}

Table sweep_table(const std::vector<SweepPoint>& points) {
    Table table({{"annotators", Align::right}, {"method"}, {"mean adjusted %", Align::right}},
                "With fewer annotators, or other mixtures");
    for (const SweepPoint& p : points)
        table.add({std::to_string(p.annotators), p.method, percent_text(p.mean)});
    return table;
}

/// Numbers of annotators for a page that draws the estimates against 1 / n.
std::vector<int> eighths(const AdjustReport& report) {
    const int n = std::min(report.first_cells.grid.min_n(), report.second_cells.grid.min_n());
    std::vector<int> numbers;
    for (int i = 1; i <= 8; ++i) {
        const int m = n * i / 8;
        if (m >= 2 && (numbers.empty() || numbers.back() != m)) numbers.push_back(m);
    }
    return numbers;
}

void choose_methods(const std::vector<std::string>& names, AdjustOptions& options,
                    std::vector<int> jackknife) {
    options.moments = options.naive = options.mixture = options.npmle = false;
    options.jackknife.clear();
    for (const std::string& name : names) {
        if (name == "moments")
            options.moments = true;
        else if (name == "naive")
            options.naive = true;
        else if (name == "jackknife")
            options.jackknife = jackknife;
        else if (name == "mixture")
            options.mixture = true;
        else if (name == "npmle")
            options.npmle = true;
        else {
            throw Error(
                ErrorCode::usage,
                fmt::format("unknown method `{}`{}", name,
                            suggest(name, {"moments", "naive", "jackknife", "mixture", "npmle"})));
        }
    }
}

}  // namespace

int replicate_adjust(std::vector<std::string> arguments) {
    auto app = make_app(
        "replicate adjust",
        "Reweigh the replication to the selection rates of the original and split each "
        "classifier's "
        "accuracy gap into what remains and what was selection bias. Status 3: images without hits "
        "were left out.",
        examples);
    std::filesystem::path first, second;
    std::vector<std::filesystem::path> hits;
    std::vector<std::string> methods = {"moments", "naive", "jackknife"};
    std::vector<int> jackknife = {1}, sweep, parts_sweep;
    std::string empty_bins = "renormalise", units = "class";
    StudyOptions study_options;
    AdjustOptions options;
    AnnotationFlags flags;
    Output output;
    app->add_option("original", first, "Annotations or frequencies of the original")
        ->required()
        ->type_name("CSV");
    app->add_option("replication", second, "Annotations or frequencies of the replication")
        ->required()
        ->type_name("CSV");
    app->add_option("--hits", hits,
                    "Hits on the original and on the replication: csv files, or folders of stores")
        ->required()
        ->expected(2)
        ->type_name("PATH");
    app->add_option(
           "--methods", methods,
           "moments, naive, jackknife, mixture, npmle; moments are quoted where they are asked for")
        ->delimiter(',')
        ->capture_default_str()
        ->type_name("LIST");
    app->add_option("--jackknife", jackknife, "Annotators that the jackknife leaves out")
        ->delimiter(',')
        ->capture_default_str()
        ->type_name("LIST");
    app->add_option("--exponents", options.exponents,
                    "Of the moments; default by the smallest number of annotators")
        ->delimiter(',')
        ->type_name("LIST");
    app->add_option("--min-annotators", study_options.min_annotators, "Leave out images with fewer")
        ->capture_default_str()
        ->type_name("N");
    app->add_option("--bootstrap", options.bootstrap,
                    "Replicates for percentile intervals of every method and slope")
        ->capture_default_str()
        ->type_name("N");
    app->add_option("--units", units,
                    "Independent units of intervals and bootstrap: class or image")
        ->check(CLI::IsMember({"class", "image"}))
        ->capture_default_str();
    app->add_option("--empty-bins", empty_bins,
                    "Readings that the replication lacks, naive and jackknife: renormalise or "
                    "zero (the published jackknife script)")
        ->check(CLI::IsMember({"renormalise", "zero"}))
        ->capture_default_str();
    app->add_option("--parts", options.mixture_parts, "Beta distributions in the mixture")
        ->check(CLI::Range(1, 20))
        ->capture_default_str()
        ->type_name("N");
    app->add_flag(
        "--grid-integrals", options.grid_integrals,
        "Spline by the published 1000-point sums instead of exact integrals (0.5 points of bias)");
    app->add_option("--sweep", sweep,
                    "Repeat the estimates as if images had these numbers of annotators; JSON has "
                    "eighths of all unless told")
        ->delimiter(',')
        ->type_name("LIST");
    app->add_option("--parts-sweep", parts_sweep,
                    "Repeat the mixture estimate with these numbers of parts, e.g. 3,5,7,9")
        ->delimiter(',')
        ->type_name("LIST");
    app->add_option("--level", options.level, "Confidence level")
        ->capture_default_str()
        ->type_name("P");
    app->add_option("-j,--threads", options.threads, "Threads (0: all)")
        ->capture_default_str()
        ->type_name("N");
    flags.add_to(*app);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    options.empty_bins = empty_bins == "zero" ? EmptyBins::count_zero : EmptyBins::renormalise;
    options.units = units == "class" ? Units::classes : Units::images;
    options.seed = flags.seed;
    choose_methods(methods, options, jackknife);
    const int threads = resolve_threads(options.threads);
    const PreparedSets prepared = prepare_sets({first, second}, flags);
    const Study study = join_study(prepared.sets[0], read_hits(hits[0], threads), prepared.sets[1],
                                   read_hits(hits[1], threads), prepared.names, study_options);
    const AdjustReport report = adjust(study, options);
    if (sweep.empty() && output.json) sweep = eighths(report);
    std::vector<SweepPoint> points = annotator_sweep(study, sweep, options);
    for (SweepPoint& point : mixture_sweep(study, parts_sweep, options))
        points.push_back(std::move(point));
    for (const std::string& text : prepared.warnings) warn(text);
    for (const std::string& text : report.warnings) warn(text);

    if (output.json) {
        json out = to_json(report);
        out["annotations"] = to_json(prepared);
        if (!points.empty()) {
            out["sweep"] = json::array();
            for (const SweepPoint& p : points) {
                json point = {{"annotators", p.annotators},
                              {"method", p.method},
                              {"mean", p.mean},
                              {"adjusted", p.adjusted}};
                if (!p.exponents.empty()) point["exponents"] = p.exponents;
                out["sweep"].push_back(std::move(point));
            }
        }
        output.write(json_text(out));
    } else if (output.csv) {
        output.write(classifier_table(report, true).csv());
    } else {
        const bool colour = output.to_stdout() && stdout_is_terminal();
        std::string text = classifier_table(report, false).text(colour) + "\n" +
                           method_table(report).text(colour) + "\n" + verdict(report);
        if (!points.empty()) text += "\n" + sweep_table(points).text(colour);
        output.write(text);
    }
    return study.partial ? Status::partial : Status::done;
}

}  // namespace assay::cli
