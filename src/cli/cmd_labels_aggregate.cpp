// assay labels aggregate: converts votes of annotators to label sets.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "assay/annotation/aggregate_votes.h"
#include "assay/error.h"
#include "cli/cmd_labels.h"
#include "cli/command.h"
#include "cli/outputs.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view labels_aggregate_examples = R"(
assay labels aggregate votes.csv
assay labels aggregate label-studio.json --label-sets labels.json
assay labels aggregate votes.csv --data images/multi --to csv --label-sets labels.csv
assay labels aggregate raters.npz --original val.txt --to list --label-sets real.json
assay labels aggregate raters.npz --original real.json --against real.json
assay labels aggregate raters.npz --original val.csv --original-label-votes 0-397 --against golden.npz
assay labels aggregate votes.csv --method weighted --weights experts.csv --threshold 0.6
assay labels aggregate votes.csv --answers wrong,right --annotators --posteriors posteriors.csv
)";

/// Files that the command writes in addition to its report.
struct Files {
    fs::path label_sets, posteriors, quality, curve;
    std::string format;
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

void add_votes(CLI::App& app, AggregateOptions& o) {
    app.add_option(
           "votes", o.votes,
           "Votes: csv with annotator, item, label, answer; an export of Label Studio, Mechanical "
           "Turk, Toloka, Zooniverse, Ground Truth, CVAT or Datumaro; or ReaL's npz")
        ->required()
        ->type_name("VOTES");
    app.add_option("--method", o.method,
                   "dawid-skene, majority (the proportion of votes), weighted (by annotator)")
        ->check(CLI::IsMember({"dawid-skene", "majority", "weighted"}))
        ->capture_default_str();
    app.add_option("--threshold", o.threshold,
                   "Keep labels with at least this posterior or proportion (default: dawid-skene "
                   "0.8; majority and weighted: more than 0.5). Of votes that name a class, the "
                   "likeliest class is kept by default")
        ->check(CLI::Range(0.0, 1.0));
    const std::string votes = "Votes";
    app.add_option_function<std::string>(
           "--answers", [&o](const std::string& text) { o.answers = split(text); },
           "The possible answers in order, from no to yes. They count as evenly spaced numbers "
           "from 0 to 1")
        ->type_name("LIST")
        ->default_str("no,maybe,yes")
        ->group(votes);
    app.add_option(
           "--repeats", o.repeats,
           "Answers that count if an annotator answers a question twice: first, last, all, error")
        ->type_name("{first,last,all,error}")
        ->capture_default_str()
        ->group(votes);
    app.add_option("--known-annotators", o.known_annotators,
                   "csv with a column annotator; votes of others are ignored")
        ->type_name("CSV")
        ->group(votes);
    app.add_option("--weights", o.weights,
                   "csv with columns annotator, weight for --method weighted (default: from the "
                   "annotators' agreement with the others beyond chance)")
        ->type_name("CSV")
        ->group(votes);
}

void add_dawid_skene(CLI::App& app, DawidSkeneOptions& em) {
    const std::string group = "Dawid-Skene";
    app.add_option("--latents", em.latents, "Latent classes: 2, or as many as answers")
        ->capture_default_str()
        ->group(group);
    app.add_option("--smoothing", em.smoothing, "Smoothing, added to every count")
        ->capture_default_str()
        ->group(group);
    app.add_option(
           "--tolerance", em.tolerance,
           "EM has converged if a step changes no posterior and no parameter by more than this")
        ->capture_default_str()
        ->group(group);
    app.add_option("--passes", em.max_passes, "Maximum number of passes")
        ->capture_default_str()
        ->group(group);
    app.add_option("-j,--threads", em.threads, "Threads (default: one per core)")
        ->check(not_below_zero());
}

void add_items(CLI::App& app, AggregateOptions& o) {
    const std::string items = "Items";
    app.add_option("--data", o.data,
                   "The items: folder of images, list, or store, with the original labels "
                   "(default: the images of the votes; for ImageNet's validation set all 50,000)")
        ->type_name("DATA")
        ->group(items);
    app.add_option("--classes", o.classes,
                   "Class list file, or imagenet (default: the data's, else the votes')")
        ->type_name("CLASSES")
        ->group(items);
    app.add_option("--original", o.original,
                   "Labels of the images that nobody annotated: json, csv, txt, npy")
        ->type_name("LABELS")
        ->group(items);
    app.add_option("--original-label-votes", o.original_votes,
                   "Add the original labels as one more annotator on questions about these classes "
                   "(all, 0-397, 1,2,9). It says yes if the class is the image's original label, "
                   "otherwise no. ReaL's labels were made with 0-397")
        ->type_name("LIST")
        ->expected(0, 1)
        ->default_str("all")
        ->group(items);
    app.add_option("--hierarchy", o.hierarchy,
                   "Add the classes above each label that is kept (csv with child and parent, "
                   "JSON, WordNet, or imagenet)")
        ->type_name("HIERARCHY")
        ->group(items);
    app.add_option("--against", o.against,
                   "Compare the decisions, and those of every threshold, with these label sets, or "
                   "with the majority of experts' votes (any file of votes)")
        ->type_name("LABELS")
        ->group(items);
    app.add_option("--level", o.level, "Confidence level of the intervals")
        ->check(CLI::Range(0.5, 0.9999))
        ->capture_default_str()
        ->group(items);
}

void add_results(CLI::App& app, AggregateOptions& o, Files& files) {
    const std::string results = "Results";
    app.add_option("--label-sets", files.label_sets,
                   "Write the label sets to FILE (-: stdout, instead of the report)")
        ->type_name("FILE")
        ->group(results);
    app.add_option("--to", files.format,
                   "Format of --label-sets: list (JSON, like real.json), object (JSON), csv "
                   "(default: by the file's extension, csv or object)")
        ->type_name("{list,object,csv}")
        ->group(results);
    app.add_option("--posteriors", files.posteriors, "Write a csv with a row per question")
        ->type_name("FILE")
        ->group(results);
    app.add_option("--curve", files.curve,
                   "With --against: write a csv with a row per threshold: precision, recall, "
                   "agreement")
        ->type_name("FILE")
        ->group(results);
    app.add_option("--annotator-quality", files.quality, "Write a csv with a row per annotator")
        ->type_name("FILE")
        ->group(results);
    app.add_flag("--annotators", o.list_annotators,
                 "Show the annotators: answers, accuracy, agreement, confusion")
        ->group(results);
}

}  // namespace

int labels_aggregate(std::vector<std::string> arguments) {
    auto app = make_app("labels aggregate",
                        "Combine the votes of annotators into label sets. Status 3: some votes "
                        "were not used (listed on stderr).",
                        labels_aggregate_examples);
    AggregateOptions options;
    Files files;
    Output output;
    add_votes(*app, options);
    add_dawid_skene(*app, options.em);
    add_items(*app, options);
    add_results(*app, options, files);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    // The check is before the work, so that an unknown name is reported immediately.
    const LabelSetFormat format = label_set_format_for(files.label_sets, files.format);
    const bool printed = files.label_sets == "-";
    if (!files.curve.empty() && options.against.empty())
        throw Error(ErrorCode::usage,
                    "--curve needs --against: the labels to compare thresholds with");
    if (files.label_sets.empty()) {
        if (!files.format.empty())
            throw Error(ErrorCode::usage,
                        "--to is the format of --label-sets: add --label-sets FILE");
        output.check_is_report("label sets", "--label-sets");
    }
    if (printed && output.to_stdout() && output.format != ReportFormat::text) {
        throw Error(ErrorCode::usage,
                    "--format and --label-sets - both print to stdout; name a file");
    }

    const Aggregation found = aggregate_votes(options);
    for (const std::string& line : found.assumed) note(line);
    if (!files.label_sets.empty()) {
        write_result(files.label_sets,
                     label_sets_text(found.built.sets, found.dataset, found.classes, format));
    }
    if (!files.posteriors.empty()) write_result(files.posteriors, posterior_csv(found));
    if (!files.curve.empty()) write_result(files.curve, curve_csv(found));
    if (!files.quality.empty()) {
        Report quality;
        quality.records = annotator_records(found);
        write_result(files.quality, render(quality, ReportFormat::csv));
    }
    const Report report = report_of(found);
    if (printed && output.to_stdout()) {
        for (const std::string& text : report.warnings) warn(text);
    } else {
        output.print(report);
    }
    if (files.label_sets.empty() && output.format == ReportFormat::text)
        note("no label sets were written; to write them, add --label-sets FILE");
    return report.partial ? Status::partial : Status::done;
}

}  // namespace assay::cli
