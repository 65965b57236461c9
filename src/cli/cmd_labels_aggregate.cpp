// assay labels aggregate: votes of annotators -> label sets.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <filesystem>
#include <unordered_map>
#include <unordered_set>

#include "assay/annotation/label_stats.h"
#include "assay/error.h"
#include "cli/command.h"
#include "cli/labels.h"
#include "cli/labels_text.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "core/csv.h"
#include "core/file.h"
#include "core/json_text.h"
#include "core/text.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view examples = R"(
assay labels aggregate votes.csv
assay labels aggregate votes.csv --data images/multi --to csv -o labels.csv
assay labels aggregate raters.npz --original val.txt --to list -o real.json
assay labels aggregate raters.npz --original real.json --against real.json
assay labels aggregate votes.csv --method weighted --weights experts.csv --threshold 0.6
assay labels aggregate votes.csv --answers wrong,right --annotators --posteriors posteriors.csv
)";

struct Options {
    fs::path votes, data, original, against, labels_out, posteriors, quality, weights,
        known_annotators;
    std::string method = "dawid-skene", answers = "no,maybe,yes", repeats = "first", classes,
                format;
    std::optional<double> threshold;
    DawidSkeneOptions em;
    double level = 0.95;
    bool json = false, csv = false, annotators = false;
};

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> out;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        out.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return out;
}

/// Column `annotator`, and `weight` where it is asked for.
std::vector<std::pair<std::string, double>> read_annotators(const fs::path& path,
                                                            bool with_weights) {
    const std::string text = read_text(path);
    CsvReader reader(text, path.filename().string());
    const std::size_t annotator = reader.column({"annotator", "rater", "worker", "user"});
    const std::size_t weight = with_weights ? reader.column({"weight"}) : 0;
    std::vector<std::pair<std::string, double>> out;
    std::unordered_set<std::string> seen;
    while (reader.next()) {
        double w = 1;
        if (with_weights) {
            const std::string_view cell = reader[weight];
            const auto [stop, problem] = std::from_chars(cell.data(), cell.data() + cell.size(), w);
            if (problem != std::errc() || stop != cell.data() + cell.size() ||
                !(w >= 0 && w < 1e9)) {
                throw reader.error(
                    fmt::format("weight `{}` is not a number from 0 to 1e9", cell.substr(0, 40)));
            }
        }
        const std::string name(trimmed(reader[annotator]));  // as the readers of votes do
        if (name.empty()) throw reader.error("an annotator without a name");
        if (!seen.insert(name).second)
            throw reader.error(fmt::format("annotator `{}` stands twice", shortened(name)));
        out.emplace_back(name, w);
    }
    return out;
}

std::vector<double> weights_of(const Votes& votes, const fs::path& path) {
    if (path.empty()) return agreement_weights(votes);
    const auto list = read_annotators(path, true);
    const std::unordered_map<std::string, double> given(list.begin(), list.end());
    std::vector<double> out;
    std::vector<std::string> missing;
    for (std::size_t r = 0; r < votes.annotators.size(); ++r) {
        const auto at = std::find_if(given.begin(), given.end(), [&](const auto& pair) {
            return pair.first == votes.annotators[r];
        });
        if (at == given.end()) missing.emplace_back(votes.annotators[r]);
        out.push_back(at == given.end() ? 0 : at->second);
    }
    if (!missing.empty()) {
        const std::size_t n = missing.size();
        if (n > 8) missing.resize(8);
        throw Error(
            ErrorCode::bad_input,
            fmt::format("{}: no weight for {} of {} annotators: {}{}", path.string(), n,
                        votes.annotators.size(), fmt::join(missing, ", "), n > 8 ? ", ..." : ""));
    }
    return out;
}

void add_options(CLI::App& app, Options& o) {
    app.add_option("votes", o.votes,
                   "Votes: csv with annotator, item, label, answer; or ReaL's npz")
        ->required()
        ->type_name("VOTES");
    app.add_option("--method", o.method,
                   "dawid-skene, majority (the vote share), weighted (by annotator)")
        ->check(CLI::IsMember({"dawid-skene", "majority", "weighted"}))
        ->capture_default_str();
    app.add_option("--threshold", o.threshold,
                   "StorageFormat labels with at least this posterior or share (default: "
                   "dawid-skene 0.8; majority and "
                   "weighted: more than 0.5)")
        ->check(CLI::Range(0.0, 1.0));
    const std::string votes = "Votes";
    app.add_option("--answers", o.answers, "The answers from no to yes; evenly worth 0 to 1")
        ->type_name("LIST")
        ->capture_default_str()
        ->group(votes);
    app.add_option("--repeats", o.repeats,
                   "An annotator's second answer to a question: first, last, all, error (which of "
                   "them count)")
        ->capture_default_str()
        ->group(votes);
    app.add_option("--known-annotators", o.known_annotators,
                   "csv with a column annotator: votes of others are not used")
        ->type_name("FILE")
        ->group(votes);
    app.add_option("--weights", o.weights,
                   "csv with columns annotator, weight for --method weighted (default: from the "
                   "annotators' agreement with "
                   "the others beyond chance)")
        ->type_name("FILE")
        ->group(votes);
    const std::string em = "Dawid-Skene";
    app.add_option("--latents", o.em.latents, "Latent classes: 2, or as many as answers")
        ->capture_default_str()
        ->group(em);
    app.add_option("--smoothing", o.em.smoothing, "Added to every count")
        ->capture_default_str()
        ->group(em);
    app.add_option("--tolerance", o.em.tolerance,
                   "Stop when the log-likelihood an answer grows by less")
        ->capture_default_str()
        ->group(em);
    app.add_option("--passes", o.em.max_passes, "At most so many passes")
        ->capture_default_str()
        ->group(em);
    const std::string items = "Items";
    app.add_option("--data", o.data,
                   "The items: folder of images, list, or store; its labels are the original ones "
                   "(default: the "
                   "images of the votes; all 50,000 when they are of ImageNet's validation set)")
        ->type_name("PATH")
        ->group(items);
    app.add_option("--classes", o.classes,
                   "Class list file, or imagenet (default: the data's, else the votes')")
        ->type_name("FILE")
        ->group(items);
    app.add_option("--original", o.original,
                   "Labels of the images that nobody rated: json, csv, txt, npy")
        ->type_name("FILE")
        ->group(items);
    app.add_option("--against", o.against, "Compare the decisions with these label sets")
        ->type_name("FILE")
        ->group(items);
    app.add_option("--level", o.level, "Confidence level of the intervals")
        ->check(CLI::Range(0.5, 0.9999))
        ->capture_default_str()
        ->group(items);
    const std::string results = "Results";
    app.add_option("-o,--output", o.labels_out,
                   "Write the label sets to FILE (-: stdout, in place of the report)")
        ->type_name("FILE")
        ->group(results);
    app.add_option("--to", o.format,
                   "list (JSON, as real.json), object (JSON), csv (default: by the file's ending, "
                   "csv or object)")
        ->type_name("FORMAT")
        ->group(results);
    app.add_option("--posteriors", o.posteriors, "Write a csv with a row a question")
        ->type_name("FILE")
        ->group(results);
    app.add_option("--annotator-quality", o.quality, "Write a csv with a row an annotator")
        ->type_name("FILE")
        ->group(results);
    app.add_flag("--annotators", o.annotators,
                 "Show the annotators: answers, accuracy, agreement, confusion")
        ->group(results);
    auto* as_json = app.add_flag("--json", o.json, "Print the report as JSON")->group(results);
    app.add_flag("--csv", o.csv, "Print the report as CSV")->excludes(as_json)->group(results);
    app.add_option("-j,--threads", o.em.threads, "Threads (default: all cores)")
        ->check(CLI::NonNegativeNumber);
}

/// Looked at before the work: a wrong name should cost no time.
LabelSetFormat format_of(const Options& o) {
    if (!o.format.empty()) return label_set_format_named(o.format);
    return o.labels_out.extension() == ".csv" ? LabelSetFormat::csv : LabelSetFormat::object;
}

void print(std::string_view text) {
    Output().write(text);
}

}  // namespace

ClassList classes_named(const std::string& text) {
    if (text.empty()) return {};
    return text == "imagenet" ? imagenet_classes() : read_class_list(text);
}

bool report_problems(const VoteProblems& problems) {
    for (const auto& kind : problems.kinds()) {
        std::string line = fmt::format("{}: {}", kind.what, count_text(kind.count));
        for (const std::string& example : kind.examples) line += "\n  " + example;
        if (kind.count > kind.examples.size())
            line +=
                fmt::format("\n  ... and {} more", count_text(kind.count - kind.examples.size()));
        warn(line);
    }
    return problems.total() > 0;
}

int labels_aggregate(std::vector<std::string> arguments) {
    auto app = make_app("labels aggregate",
                        "Combine the votes of annotators into label sets. Status 3: some votes "
                        "were not used (listed on "
                        "stderr).",
                        examples);
    Options o;
    add_options(*app, o);
    if (!parse(*app, std::move(arguments))) return Status::done;
    const LabelSetFormat format = format_of(o);
    const bool printed = o.labels_out == "-";
    if (printed && (o.json || o.csv)) {
        throw Error(ErrorCode::usage, "--json or --csv and -o - both print to stdout; name a file");
    }
    if (!o.weights.empty() && o.method != "weighted") {
        throw Error(ErrorCode::usage, "--weights goes with --method weighted");
    }

    VotesOptions reading;
    reading.scale = answer_scale(split(o.answers));
    reading.repeats = repeats_named(o.repeats);
    reading.threads = o.em.threads;
    if (!o.known_annotators.empty()) {
        for (auto& [name, ignored] : read_annotators(o.known_annotators, false))
            reading.annotators.push_back(name);
        // The reader takes an empty list as "all are known".
        if (reading.annotators.empty()) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format(
                    "--known-annotators {}: no annotator in it; votes of at least one must count",
                    o.known_annotators.string()));
        }
    }

    const ClassList given = classes_named(o.classes);
    std::vector<std::string> notes;
    std::optional<Dataset> opened;
    if (!o.data.empty()) opened = open_labelled(o.data, given, &notes);
    for (const std::string& line : notes) note(line);
    ClassList classes = given.empty() && opened ? opened->classes : given;
    // What is not given follows from the votes.
    reading.meanings = [&](const Votes& texts) {
        if (!opened) opened = dataset_of_votes(texts);
        if (classes.empty()) classes = classes_of_votes(texts);
        return meanings_among(*opened, classes, texts);
    };
    const Votes votes = read_votes(o.votes, reading);
    const Dataset& dataset = *opened;
    std::optional<LabelSets> original;
    if (!o.original.empty()) {
        original = read_label_sets(o.original, dataset, classes);
    } else if (!o.data.empty()) {
        original = dataset.labels;
    }

    AggregateReport report{.source = o.votes.filename().string(),
                           .method = o.method,
                           .votes = votes,
                           .rule = {},
                           .yes = {},
                           .fitted = {},
                           .weights = {},
                           .unweighted = 0,
                           .built = {},
                           .agreement = {},
                           .annotators = {},
                           .dataset = dataset,
                           .classes = classes,
                           .comparison = {},
                           .compared_with = {}};
    if (o.method == "dawid-skene") {
        report.fitted = dawid_skene(votes, o.em);
        report.yes = report.fitted->yes;
    } else if (o.method == "weighted") {
        report.weights = weights_of(votes, o.weights);
        report.yes = weighted_shares(votes, report.weights, &report.unweighted);
    } else {
        report.yes = vote_shares(votes);
    }
    report.rule.threshold = o.threshold.value_or(report.fitted ? 0.8 : 0.5);
    report.rule.above = !report.fitted && !o.threshold;
    report.built = build_label_sets(votes, report.yes, report.rule, dataset, classes,
                                    original ? &*original : nullptr);
    report.agreement = answer_agreement(votes, o.level);
    report.annotators = annotator_quality(votes, report.yes, o.em.smoothing,
                                          report.fitted ? &*report.fitted : nullptr, o.level);
    if (!o.against.empty()) {
        report.comparison =
            compare_label_sets(report.built, read_label_sets(o.against, dataset, classes));
        report.compared_with = o.against.filename().string();
    }

    if (!o.labels_out.empty())
        write_result(o.labels_out, label_sets_text(report.built.sets, dataset, classes, format));
    if (!o.posteriors.empty()) write_result(o.posteriors, posterior_csv(report));
    if (!o.quality.empty()) write_result(o.quality, annotator_table(report, false).csv());
    const bool problems = report_problems(votes.problems);
    const bool lost = report_problems(report.built.problems);
    if (printed) {
        // The label sets are there in the report's place.
    } else if (o.json) {
        print(json_text(aggregate_json(report, o.annotators)));
    } else if (o.csv) {
        print((o.annotators ? annotator_table(report, false) : aggregate_csv(report)).csv());
    } else {
        print(aggregate_text(report, o.annotators, stdout_is_terminal()));
    }
    if (o.labels_out.empty() && !o.json && !o.csv)
        note("no label sets were written: -o FILE writes them");
    return problems || lost ? Status::partial : Status::done;
}

}  // namespace assay::cli
