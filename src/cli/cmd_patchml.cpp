// assay patchml: images composed of a known number of objects.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>

#include "assay/error.h"
#include "assay/patchml/patchml.h"
#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/store_command.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view patchml_examples = R"(
assay patchml --data ILSVRC/Data/CLS-LOC/val --boxes ILSVRC/Annotations/CLS-LOC/val --out patchml
assay patchml --data ILSVRC/Data/CLS-LOC/val --boxes LOC_val_solution.csv --seeds 1-5 --out patchml
assay patchml --data val2017 --boxes instances_val2017.json --k 2,4 --distinct --seed 7 --out coco-patches
assay patchml --whole images --k 2,3,4,6,9 --limit 100 --out patchml
assay patchml --data JPEGImages --boxes Annotations --corners inclusive1 --skip-difficult --jpeg 95 --out voc
assay patchml --whole images --k 5 --p 100 --canvas 384 --out patchml --dry-run
)";

/// Settings of the command itself, in addition to those of the library.
struct Flags {
    fs::path rejected;
    bool dry_run = false;
};

void add_patches(CLI::App& app, PatchmlOptions& o) {
    const std::string in = "Patches";
    auto* data = app.add_option("-d,--data", o.images, "Folder of the images of --boxes")
                     ->type_name("FOLDER")
                     ->group(in);
    auto* boxes = app.add_option("--boxes", o.boxes,
                                 "Boxes of the objects: a folder of PASCAL-VOC XML files (ILSVRC "
                                 "CLS-LOC), LOC_*_solution.csv, COCO instances (json), or a csv "
                                 "with columns image,xmin,ymin,xmax,ymax,class")
                      ->type_name("BOXES")
                      ->group(in);
    auto* whole = app.add_option("--whole", o.whole,
                                 "Instead of --data and --boxes: a labelled data set; each of its "
                                 "images is one patch")
                      ->excludes(data)
                      ->excludes(boxes)
                      ->type_name("DATA")
                      ->group(in);
    app.add_option("--list", o.list, "File with the labels of the images of --whole")
        ->needs(whole)
        ->type_name("FILE")
        ->group(in);
    app.add_option("--box-format", o.format, "Format of the boxes: auto, voc, solution, coco, csv")
        ->type_name("{auto,voc,solution,coco,csv}")
        ->capture_default_str()
        ->group(in);
    app.add_option(
           "--corners", o.corners,
           "Meaning of xmin..xmax: inclusive0 (both in the box, counted from 0: ILSVRC; default), "
           "inclusive1 (from 1: PASCAL VOC), edges (xmax is after the box). COCO has edges")
        ->type_name("{inclusive0,inclusive1,edges}")
        ->group(in);
    app.add_option(
           "--classes", o.classes,
           "Class list file (default: ImageNet's for WordNet ids, else the classes in the data)")
        ->type_name("CLASSES")
        ->group(in);
    app.add_option("--min-side", o.min_side, "Skip patches with a shorter side, pixels")
        ->check(above_zero())
        ->capture_default_str()
        ->group(in);
    app.add_flag("--skip-difficult", o.skip_difficult, "Skip boxes that VOC marks difficult")
        ->group(in);
    app.add_flag("--skip-truncated", o.skip_truncated, "Skip boxes that VOC marks truncated")
        ->group(in);
    app.add_flag("--skip-duplicates", o.skip_duplicates,
                 "Skip repeated boxes of the same class; otherwise they are counted")
        ->group(in);
}

void add_composites(CLI::App& app, PatchmlOptions& o) {
    const std::string make = "Composites";
    app.add_option("--k", o.k, "Patches per composite; repeatable")
        ->delimiter(',')
        ->capture_default_str()
        ->group(make);
    app.add_option("--p", o.p,
                   "Longer side of a patch, pixels: one for each k, or one for all "
                   "(default 256,256,256,170,128 for the default k on 512)")
        ->delimiter(',')
        ->group(make);
    app.add_option("--canvas", o.canvas, "Side of a composite, pixels")
        ->capture_default_str()
        ->group(make);
    app.add_flag("--distinct", o.distinct,
                 "k different classes in each composite: repeats are drawn again")
        ->group(make);
    app.add_option("--seeds,--seed", o.seeds, "One data set for each: 1-5, or 7, or 1,2,9")
        ->type_name("LIST")
        ->capture_default_str()
        ->group(make);
    app.add_option("--interpolation", o.interpolation,
                   "Filter of the resize, as in Pillow: bicubic, bilinear, lanczos, ...")
        ->type_name("{nearest,box,bilinear,hamming,bicubic,lanczos}")
        ->capture_default_str()
        ->group(make);
    app.add_option("--limit", o.limit, "The first N composites of each k only")
        ->type_name("N")
        ->group(make);
    app.add_option("--jpeg", o.jpeg_quality,
                   "Write JPEG of this quality (1 to 100; 95 is usual) instead of PNG: smaller, "
                   "with other pixels")
        ->type_name("QUALITY")
        ->check(CLI::Range(1, 100))
        ->group(make);
}

void add_results(CLI::App& app, PatchmlOptions& o, Flags& flags) {
    const std::string results = "Results";
    app.add_option("--out", o.out, "Output folder; data sets are OUT/<name>-seed<n>")
        ->type_name("FOLDER")
        ->group(results);
    app.add_option("--name", o.name, "Beginning of the data sets' names")
        ->type_name("NAME")
        ->capture_default_str()
        ->group(results);
    app.add_option("--rejected", flags.rejected, "Write every skipped box, and why, to this csv")
        ->type_name("FILE")
        ->group(results);
    app.add_option("--examples", o.examples, "Skipped boxes to show, of each kind")
        ->capture_default_str()
        ->type_name("N")
        ->group(results);
    app.add_option("-j,--threads", o.threads, "Threads (default: one per core); same results")
        ->type_name("N")
        ->check(not_below_zero())
        ->group(results);
    app.add_option("--cache", o.cache_mib,
                   "Memory for patches that several composites share, MiB; same results")
        ->check(CLI::Range(0, 1 << 20))
        ->capture_default_str()
        ->group(results);
    app.add_flag("--dry-run", flags.dry_run, "Count the composites without writing them")
        ->group(results);
}

void say_what_next(const PatchmlResult& result) {
    std::string data, labels;
    for (const PatchmlDataset& set : result.datasets)
        data += " --data " + as_typed(set.made.folder.string());
    for (const Grid& grid : result.options.grids)
        labels += fmt::format("{}{}", labels.empty() ? "" : ",", grid.k);
    note(
        fmt::format("evaluate it on whole composites (no centre crop), by number of labels:\n"
                    "  assay predict --model MODEL{} --crop-mode none --out runs\n"
                    "  assay score runs --metrics real,subgroup_accuracy,asma --subgroups {}",
                    data, labels));
}

class PatchmlCommand final : public StoreCommand {
public:
    explicit PatchmlCommand(bool in_a_run) : in_a_run_(in_a_run) {}

    std::unique_ptr<CLI::App> app() override {
        auto app = make_app(
            "patchml",
            "Make multi-label images with a known number of objects: patches that boxes cut out of "
            "single-label images, k on a canvas (PatchML, Anzaku et al.). The same seed gives the "
            "same bytes. The same command resumes after an interruption and skips what is done. "
            "Status 3: some boxes were skipped (counted and listed).",
            patchml_examples);
        add_patches(*app, options_);
        add_composites(*app, options_);
        add_results(*app, options_, flags_);
        output_.add_to(*app);
        return app;
    }

    void over(const Runs&) override {
        if (flags_.dry_run)
            throw Error(ErrorCode::bad_input,
                        "`dry-run` cannot be set in the file, because the next step predicts the "
                        "composites; use `assay patchml --dry-run`");
        if (options_.out.empty())
            throw Error(ErrorCode::bad_input, "`out`, the folder of the data sets, is missing");
    }

    void check() const override {
        if (options_.out.empty() && !flags_.dry_run)
            throw Error(ErrorCode::usage, "no --out given; see `assay patchml --help`");
        assay::check(options_);
    }

    std::vector<fs::path> makes() const override { return composite_folders(options_); }

    int run() const override {
        // One line per step, because each has its own rate.
        std::string step;
        std::optional<ProgressLine> line;
        const ProgressCallback progress = [&](const Progress& p) {
            if (!line || step != p.step) {
                step = p.step;
                line.emplace(step, step == "reading" ? "images" : "composites");
            }
            Progress shown = p;
            shown.step = "";
            line->update(shown);
        };
        PatchmlResult result = plan_patchml(options_, progress);
        line.reset();
        for (const std::string& text : result.notes) note(text);
        if (!flags_.rejected.empty())
            write_result(flags_.rejected, rejected_csv(result.pool.rejected));
        if (!flags_.dry_run) {
            make_patchml(result, progress);
            line.reset();
        }
        const Report report = report_of(result);
        output_.print(report);
        if (!flags_.dry_run && !in_a_run_) say_what_next(result);
        return report.partial ? Status::partial : Status::done;
    }

private:
    bool in_a_run_;  ///< part of a run, which predicts and scores the new images: needs no advice
    PatchmlOptions options_;
    Flags flags_;
    Output output_;
};

}  // namespace

std::unique_ptr<StoreCommand> patchml_step() {
    return std::make_unique<PatchmlCommand>(true);
}

int cmd_patchml(std::vector<std::string> arguments) {
    PatchmlCommand command(false);
    return run_command(command, std::move(arguments));
}

}  // namespace assay::cli
