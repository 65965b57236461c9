// assay import: converts saved predictions of any framework to a store.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/store/import.h"
#include "assay/version.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/progress.h"
#include "core/json_text.h"

namespace assay::cli {
namespace {

constexpr std::string_view import_examples = R"(
assay import logits.npy --items val.csv --dataset-name val --name resnet50 --out runs
assay import scores.npz --array probs --kind probabilities --items ids.txt --dataset-name val --out runs
assay import results.csv --dataset-name val --class-count 1000 --out runs
assay import logits.safetensors --items val.csv --storage f16 --out runs
assay import logits.npy --labels labels.npy --dataset-name val --out runs
assay import results.json --items annotations.json --dataset-name coco --out runs
assay import frame.csv --ignore-columns epoch,fold --dataset-name val --out runs
assay import percent.csv --kind percent --dataset-name val --out runs
assay import augmented.npy --view 1 --labels labels.npy --dataset-name val --out runs
assay import samples.json --array predictions --classes classes.txt --dataset-name pets --out runs
)";

}  // namespace

int cmd_import(std::vector<std::string> arguments) {
    auto app = make_app(
        "import",
        "Turn saved predictions (npy, npz, safetensors, h5, csv, parquet, feather, jsonl, json) "
        "into a "
        "store. Full matrix, top-k or predicted classes; COCO's results, FiftyOne's exports. "
        "Detects logits and probabilities from the numbers, and refuses a wrong --kind.",
        import_examples);
    std::filesystem::path file;
    std::filesystem::path out = "runs";
    std::filesystem::path classes;
    std::string kind;
    std::string storage;
    std::string minus_one;
    ImportOptions options;
    Output output;
    app->add_option("file", file, "The predictions")->required()->type_name("FILE");
    app->add_option("--out", out, "Folder of the results")
        ->type_name("RUNS")
        ->capture_default_str();
    app->add_option("--name", options.model_name, "Name of the model (default: the file's stem)")
        ->type_name("NAME");
    app->add_option("--dataset-name", options.dataset_name,
                    "Name of the data set (default: the stem of --items)")
        ->type_name("NAME");
    app->add_option("--items", options.ids,
                    "Ids, and labels if there are any: a text with one id per line, or a table "
                    "(csv, Parquet, JSON lines). COCO's annotations and FiftyOne's labels.json "
                    "also work. A table has a column id, path, filename, image or image_id. Rows "
                    "are matched by id if the predictions have ids, too; otherwise by order")
        ->type_name("FILE");
    app->add_option("--labels", options.labels,
                    "Labels of the items: npy, json, csv, txt; without names, in the order of the "
                    "rows")
        ->type_name("LABELS");
    app->add_option("--array", options.array,
                    "Which array of a .npz, .safetensors or .h5 file, or which field of FiftyOne's "
                    "samples.json")
        ->type_name("NAME");
    app->add_option("--view", options.view,
                    "Which view of each item, for an array of items x views x classes (test-time "
                    "augmentation): assay ensemble averages them")
        ->type_name("N")
        ->check(CLI::Range(1U, 1U << 24));
    app->add_option("--kind", kind, "Kind of the scores (default: detected)")
        ->type_name(
            "{logits,probabilities,log_probabilities,percent,log2_probabilities,"
            "log10_probabilities}");
    app->add_flag("--force", options.force, "Use --kind even if the numbers contradict it");
    app->add_option("--score-columns", options.columns.scores,
                    "Columns of a table with the classes' scores, separated by commas; `*` matches "
                    "any characters (default: detected; if unclear, an error asks)")
        ->delimiter(',')
        ->type_name("COLUMNS");
    app->add_option("--ignore-columns", options.columns.ignored,
                    "Columns of a table to ignore, separated by commas. A column without a name is "
                    "named by its position, counted from 1")
        ->delimiter(',')
        ->type_name("COLUMNS");
    app->add_option("--label-column", options.columns.label,
                    "Column with the items' labels, in the table of --labels, else in the scores' "
                    "table, else in --items. `none`: do not read labels from the scores' file")
        ->type_name("COLUMN");
    app->add_option(
           "--image-column", options.image_column,
           "Column with the names of the images, in the table of --labels, or else in --items")
        ->type_name("COLUMN");
    app->add_option("--id-column", options.columns.id, "Column with the items' ids")
        ->type_name("COLUMN");
    app->add_option("--minus-one", minus_one,
                    "Meaning of a label -1 if there are labels 1: `class`, the first of two "
                    "classes, or `unlabelled`")
        ->type_name("{class,unlabelled}");
    app->add_option("--storage", storage,
                    "full, f16, topK, label (default: everything in the file)")
        ->type_name("STORAGE");
    app->add_option("--classes", classes,
                    "Class list file (default: the file's columns, or ImageNet's for 1000)")
        ->type_name("CLASSES");
    app->add_option("--class-count", options.class_count,
                    "Number of classes, for top-k files without --classes")
        ->type_name("N");
    app->add_option("--shard-rows", options.shard_rows, "Rows per shard (default: about 4 MiB)")
        ->type_name("N");
    app->add_option("-j,--threads", options.threads, "Threads (default: one per core)")
        ->type_name("N");
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    if (!kind.empty()) take_kind(options, kind);
    if (!minus_one.empty()) options.minus_one = minus_one_named(minus_one);
    if (!storage.empty()) {
        const StorageChoice choice = storage_choice_named(storage);
        options.storage = choice.storage;
        options.top_k = choice.top_k;
    }
    if (!classes.empty()) options.classes = read_class_list(classes);
    options.provenance_json = json_line({{"assay", version}, {"command", command_line()}});

    ProgressLine progress("import", "rows");
    const ImportReport imported = import_predictions(file, out, options, progress);
    progress.finish();
    for (const std::string& line : imported.notes) note(line);
    const Report report = report_of(imported);
    output.print(report);
    return report.partial ? Status::partial : Status::done;
}

}  // namespace assay::cli
