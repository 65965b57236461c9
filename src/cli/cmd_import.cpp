// assay import: saved predictions of any framework become a store.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/store/import.h"
#include "assay/version.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "core/json_text.h"

namespace assay::cli {
namespace {

constexpr std::string_view examples = R"(
assay import logits.npy --items val.csv --dataset-name val --name resnet50 --out runs
assay import scores.npz --array probs --kind probabilities --items ids.txt --dataset-name val --out runs
assay import results.csv --dataset-name val --class-count 1000 --out runs
assay import logits.safetensors --items val.csv --storage f16 --out runs
)";

std::string report_text(const ImportReport& r, const Output& output) {
    if (output.json) {
        return json_text({{"store", r.store.string()},
                          {"rows", r.rows},
                          {"classes", r.classes},
                          {"kind", name_of(r.kind)},
                          {"storage", name_of(r.storage)},
                          {"without_score", r.bad_rows},
                          {"notes", r.notes}});
    }
    Table table({{"store"},
                 {"rows", Align::right},
                 {"classes", Align::right},
                 {"kind"},
                 {"kept"},
                 {"without score", Align::right}});
    table.add({r.store.string(), count_text(r.rows), count_text(r.classes),
               std::string(name_of(r.kind)), std::string(name_of(r.storage)),
               count_text(r.bad_rows)});
    return output.csv ? table.csv() : table.text(output.to_stdout() && stdout_is_terminal());
}

}  // namespace

int cmd_import(std::vector<std::string> arguments) {
    auto app = make_app(
        "import",
        "Turn saved predictions (npy, npz, safetensors, csv, tsv, jsonl; full matrix or top-k) "
        "into a "
        "store. Tells logits from probabilities by the numbers, and refuses a wrong claim.",
        examples);
    std::filesystem::path file;
    std::filesystem::path out = "runs";
    std::filesystem::path classes;
    std::string kind;
    std::string storage;
    bool quiet = false;
    ImportOptions options;
    Output output;
    app->add_option("file", file, "The predictions")->required()->type_name("FILE");
    app->add_option("--out", out, "Folder of the results")
        ->type_name("RUNS")
        ->capture_default_str();
    app->add_option("--name", options.model_name, "Name of the model (default: the file's stem)");
    app->add_option("--dataset-name", options.dataset_name,
                    "Name of the data set (default: the stem of --items)");
    app->add_option(
           "--items", options.ids,
           "Ids, and labels if there are any, in the order of the rows: one id a line, or a csv "
           "with a column id, path, filename or image")
        ->type_name("FILE");
    app->add_option("--array", options.array, "Which array of a .npz or .safetensors file");
    app->add_option("--kind", kind,
                    "logits, probabilities, log_probabilities (default: found out)");
    app->add_flag("--force", options.force, "Take --kind although the numbers contradict it");
    app->add_option("--storage", storage,
                    "full, f16, topK, label (default: all that the file holds)");
    app->add_option("--classes", classes,
                    "Class list file (default: the file's columns, or ImageNet's for 1000)")
        ->type_name("FILE");
    app->add_option("--class-count", options.class_count,
                    "Number of classes, for top-k files without --classes")
        ->type_name("C");
    app->add_option("--shard-rows", options.shard_rows, "Rows per shard (default: about 4 MiB)")
        ->type_name("N");
    app->add_option("-j,--threads", options.threads, "Threads (default: one per core)")
        ->type_name("N");
    app->add_flag("-q,--quiet", quiet, "No progress, no notes");
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    if (!kind.empty()) options.kind = score_kind_named(kind);
    if (!storage.empty()) {
        const StorageChoice choice = storage_format_named(storage);
        options.storage = choice.storage;
        options.top_k = choice.top_k;
    }
    if (!classes.empty()) options.classes = read_class_list(classes);
    options.provenance_json = json_line({{"assay", version}, {"command", command_line()}});

    ImportReport report;
    {
        ProgressLine progress("import", "rows", quiet);
        report = import_predictions(file, out, options, progress);
    }
    if (!quiet) {
        for (const std::string& line : report.notes) note(line);
    }
    if (report.bad_rows > 0) {
        warn(fmt::format("{} of {} rows have no score; the first: {}", count_text(report.bad_rows),
                         count_text(report.rows), report.first_error));
    }
    output.write(report_text(report, output));
    return report.bad_rows > 0 ? Status::partial : Status::done;
}

}  // namespace assay::cli
