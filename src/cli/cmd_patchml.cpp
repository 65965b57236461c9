// assay patchml: images composed of a known number of objects.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>

#include "assay/data/dataset.h"
#include "assay/error.h"
#include "assay/patchml/boxes.h"
#include "assay/patchml/composites.h"
#include "cli/cmd_patchml_text.h"
#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "core/file.h"
#include "core/parallel.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view examples = R"(
assay patchml --data ILSVRC/Data/CLS-LOC/val --boxes ILSVRC/Annotations/CLS-LOC/val --out patchml
assay patchml --data ILSVRC/Data/CLS-LOC/val --boxes LOC_val_solution.csv --seeds 1-5 --out patchml
assay patchml --data val2017 --boxes instances_val2017.json --k 2,4 --distinct --seed 7 --out coco-patches
assay patchml --whole images --k 2,3,4,6,9 --limit 100 --out patchml
assay patchml --whole images --k 5 --p 100 --canvas 384 --out patchml --dry-run
)";

constexpr std::size_t max_seeds = 1000;

struct Flags {
    fs::path whole, images, boxes, classes, out, rejected, list;
    std::string format = "auto", corners, seeds = "1-5", interpolation = "bicubic",
                name = "patchml";
    std::vector<int> k = {2, 3, 4, 6, 9}, p;
    int canvas = 512, min_side = 1, threads = 0;
    std::size_t limit = 0, cache_mib = 256, shown = 3;
    bool distinct = false, quiet = false, dry_run = false;

    void add_to(CLI::App& app) {
        const std::string in = "Patches";
        app.add_option("-d,--data", images, "Folder of the images that --boxes speaks of")
            ->type_name("PATH")
            ->group(in);
        app.add_option(
               "--boxes", boxes,
               "Where the objects are: a folder of PASCAL-VOC XML files (ILSVRC CLS-LOC), "
               "LOC_*_solution.csv, "
               "COCO instances (json), or a csv with columns image,xmin,ymin,xmax,ymax,class")
            ->type_name("PATH")
            ->group(in);
        app.add_option("--whole", whole,
                       "Instead of the two: a labelled data set, each image of which is one patch")
            ->type_name("PATH")
            ->group(in);
        app.add_option("--list", list, "Labels of the images of --whole, where they are in a file")
            ->type_name("FILE")
            ->group(in);
        app.add_option("--format", format, "Of the boxes: auto, voc, solution, coco, csv")
            ->capture_default_str()
            ->group(in);
        app.add_option("--corners", corners,
                       "Which pixels xmin..xmax means: inclusive0 (both in the box, counted from "
                       "0: ILSVRC; default), "
                       "inclusive1 (counted from 1: PASCAL VOC), edges (xmax is behind the box). "
                       "COCO has edges")
            ->group(in);
        app.add_option("--classes", classes,
                       "Class list file (default: ImageNet's for WordNet ids, else what is met)")
            ->type_name("FILE")
            ->group(in);
        app.add_option("--min-side", min_side, "Leave out patches with a shorter side, pixels")
            ->check(CLI::PositiveNumber)
            ->capture_default_str()
            ->group(in);

        const std::string make = "Composites";
        app.add_option("--k", k, "Patches a composite, several allowed")
            ->delimiter(',')
            ->capture_default_str()
            ->group(make);
        app.add_option("--p", p,
                       "Longer side of a patch, pixels: one for each k, or one for all "
                       "(default 256,256,256,170,128 for the default k on 512)")
            ->delimiter(',')
            ->group(make);
        app.add_option("--canvas", canvas, "Side of a composite, pixels")
            ->capture_default_str()
            ->group(make);
        app.add_flag("--distinct", distinct,
                     "k different classes in each composite: repeats are drawn again")
            ->group(make);
        app.add_option("--seeds,--seed", seeds, "One data set for each: 1-5, or 7, or 1,2,9")
            ->capture_default_str()
            ->group(make);
        app.add_option("--interpolation", interpolation,
                       "Filter of the resize, as Pillow's: bicubic, bilinear, lanczos, ...")
            ->capture_default_str()
            ->group(make);
        app.add_option("--limit", limit, "The first N composites of each k only")
            ->type_name("N")
            ->group(make);

        const std::string results = "Results";
        app.add_option("--out", out, "Folder that gets OUT/<name>-seed<n>")
            ->type_name("OUT")
            ->group(results);
        app.add_option("--name", name, "Beginning of the data sets' names")
            ->capture_default_str()
            ->group(results);
        app.add_option("--rejected", rejected,
                       "Write every box that was left out, and why, to this csv")
            ->type_name("FILE")
            ->group(results);
        app.add_option("--examples", shown, "Boxes left out that are shown, of each kind")
            ->capture_default_str()
            ->type_name("N")
            ->group(results);
        app.add_option("-j,--threads", threads, "Threads (default: one per core); changes no byte")
            ->type_name("N")
            ->check(CLI::NonNegativeNumber)
            ->group(results);
        app.add_option("--cache", cache_mib,
                       "Memory for patches that several composites share, MiB; changes no byte")
            ->check(CLI::Range(0, 1 << 20))
            ->capture_default_str()
            ->group(results);
        app.add_flag("-q,--quiet", quiet, "No progress, no notes")->group(results);
        app.add_flag("--dry-run", dry_run, "Count what would be made and stop")->group(results);
    }
};

std::uint64_t seed_number(std::string_view text, const std::string& all) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, value);
    if (text.empty() || problem != std::errc() || stop != end) {
        throw Error(
            ErrorCode::usage,
            fmt::format("--seeds `{}`: `{}` is no seed; write 1-5, 7, or 1,2,9", all, text));
    }
    return value;
}

std::vector<std::uint64_t> seeds_of(const std::string& text) {
    std::vector<std::uint64_t> seeds;
    std::string_view rest = text;
    while (true) {
        const std::size_t comma = rest.find(',');
        const std::string_view part = rest.substr(0, comma);
        const std::size_t dash = part.find('-');
        const std::uint64_t first = seed_number(part.substr(0, dash), text);
        const std::uint64_t last =
            dash == std::string_view::npos ? first : seed_number(part.substr(dash + 1), text);
        if (last < first || last - first >= max_seeds ||
            seeds.size() + (last - first) >= max_seeds) {
            throw Error(ErrorCode::usage,
                        fmt::format("--seeds `{}`: from the lower to the higher, at most {} in all",
                                    text, max_seeds));
        }
        for (std::uint64_t i = 0; i <= last - first; ++i) seeds.push_back(first + i);
        if (comma == std::string_view::npos) break;
        rest.remove_prefix(comma + 1);
    }
    std::vector<std::uint64_t> sorted = seeds;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
        throw Error(ErrorCode::usage, fmt::format("--seeds `{}`: a seed stands twice", text));
    }
    return seeds;
}

CompositeOptions options_of(const Flags& flags) {
    CompositeOptions options;
    options.canvas = flags.canvas;
    options.distinct = flags.distinct;
    options.interpolation = interpolation_named(flags.interpolation);
    options.limit = flags.limit;
    options.threads = flags.threads;
    options.cache_bytes = flags.cache_mib << 20;
    if (flags.p.size() > 1 && flags.p.size() != flags.k.size()) {
        throw Error(
            ErrorCode::usage,
            fmt::format("--p has {} numbers for {} of --k; give one for each, or one for all",
                        flags.p.size(), flags.k.size()));
    }
    options.grids.clear();
    for (std::size_t i = 0; i < flags.k.size(); ++i) {
        const int p = flags.p.empty()
                          ? (flags.k[i] < 1 ? 1 : default_patch_side(flags.k[i], flags.canvas))
                          : flags.p[flags.p.size() == 1 ? 0 : i];
        options.grids.push_back({flags.k[i], p});
    }
    check_grids(options);
    return options;
}

PatchPool pool_of(const Flags& flags) {
    PoolOptions options;
    options.min_side = flags.min_side;
    options.threads = flags.threads;
    if (!flags.classes.empty()) options.classes = read_class_list(flags.classes);
    ProgressLine progress("reading", "images", flags.quiet);
    options.progress = [&](std::uint64_t done, std::uint64_t total) {
        progress.update({.done = done, .total = total});
    };
    std::vector<std::string> notes;
    PatchPool pool;
    if (!flags.whole.empty()) {
        const Dataset dataset =
            open_dataset(flags.whole, {.list = flags.list, .classes = options.classes}, &notes);
        pool = make_pool(dataset, options);
    } else {
        std::optional<Corners> corners;
        if (!flags.corners.empty()) corners = corners_named(flags.corners);
        const BoxList list = read_boxes(flags.boxes, box_format_named(flags.format), corners);
        notes.push_back(fmt::format(
            "boxes: format {}, corners {}; {} boxes of {} files; {} images without a box",
            name_of(list.format), name_of(list.corners),
            count_text(list.rows.size() + list.rejected.size()), count_text(list.files),
            count_text(list.without_boxes)));
        pool = make_pool(list, flags.images, options, &notes);
    }
    progress.finish();
    if (!flags.quiet) {
        for (const std::string& line : notes) note(line);
        for (const std::string& line : describe_pool(pool)) note(line);
    }
    for (const std::string& line : examples_of(pool, flags.shown)) warn(line);
    if (!flags.rejected.empty()) write_result(flags.rejected, rejected_csv(pool.rejected));
    return pool;
}

void check_inputs(const Flags& flags) {
    const bool boxed = !flags.images.empty() || !flags.boxes.empty();
    if (!flags.whole.empty() && boxed)
        throw Error(ErrorCode::usage, "--whole goes without --data and --boxes");
    if (flags.whole.empty() && (flags.images.empty() || flags.boxes.empty())) {
        throw Error(ErrorCode::usage,
                    "give --data and --boxes, or --whole; see `assay patchml --help`");
    }
    if (!flags.list.empty() && flags.whole.empty())
        throw Error(ErrorCode::usage, "--list goes with --whole");
    if (flags.out.empty() && !flags.dry_run)
        throw Error(ErrorCode::usage, "no --out given; see `assay patchml --help`");
    if (flags.name.empty() || flags.name.front() == '.' ||
        flags.name.find('/') != std::string::npos) {
        throw Error(ErrorCode::usage,
                    "--name must be a file name that does not begin with a point");
    }
}

/// A measured 1.9 bytes a pixel of photographs, which fill three quarters of their cells.
void warn_of_space(const PatchmlResult& plan, const fs::path& out) {
    double bytes = 0;
    for (const PatchmlRow& row : plan.rows) {
        for (const LabelCounts& c : row.report.grids) {
            bytes += 1.43 * static_cast<double>(c.composites) * c.grid.k * c.grid.p * c.grid.p;
        }
    }
    std::error_code problem;
    const auto there =
        fs::space(fs::exists(out, problem) ? out : fs::absolute(out).parent_path(), problem);
    if (!problem && bytes > static_cast<double>(there.available)) {
        warn(fmt::format("the images will take about {:.1f} GB, and {} has {:.1f} GB left",
                         bytes / 1e9, out.string(), static_cast<double>(there.available) / 1e9));
    }
}

void say_what_next(const PatchmlResult& result, const fs::path& out) {
    std::string data, counts;
    for (const PatchmlRow& row : result.rows)
        data += " --data " + (out / row.report.folder.filename()).string();
    for (const Grid& grid : result.options.grids)
        counts += fmt::format("{}{}", counts.empty() ? "" : ",", grid.k);
    note(
        fmt::format("evaluate it on whole composites (no centre crop), by number of labels:\n"
                    "  assay predict --model MODEL{} --crop-mode none --out runs\n"
                    "  assay score runs --metrics real,subgroup_accuracy,asma --subgroups {}",
                    data, counts));
}

PatchmlResult plan_of(const PatchPool& pool, const CompositeOptions& options, const Flags& flags,
                      const std::vector<std::uint64_t>& seeds) {
    PatchmlResult plan{.pool = pool, .options = options, .rows = {}, .dry_run = true};
    for (const std::uint64_t seed : seeds) {
        CompositeOptions seeded = options;
        seeded.seed = seed;
        PatchmlRow row;
        row.report.folder = flags.out / fmt::format("{}-seed{}", flags.name, seed);
        row.report.seed = seed;
        for (const Grid& grid : options.grids) {
            row.report.grids.push_back(count_labels(pool, plan_composites(pool, grid, seeded)));
            row.report.composites += row.report.grids.back().composites;
        }
        plan.rows.push_back(std::move(row));
    }
    return plan;
}

}  // namespace

int cmd_patchml(std::vector<std::string> arguments) {
    auto app = make_app(
        "patchml",
        "Make multi-label images with a known number of objects: patches that boxes cut out of "
        "single-label images, k on a canvas (PatchML, Anzaku et al.). The same seed gives the same "
        "bytes. The same command resumes after an interruption and skips what is done. Status 3: "
        "some "
        "boxes were left out (counted and listed).",
        examples);
    Flags flags;
    Output output;
    flags.add_to(*app);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    check_inputs(flags);
    const std::vector<std::uint64_t> seeds = seeds_of(flags.seeds);
    CompositeOptions options = options_of(flags);

    const PatchPool pool = pool_of(flags);
    check_composites(pool, options);
    PatchmlResult result = plan_of(pool, options, flags, seeds);
    result.dry_run = flags.dry_run;
    if (!flags.dry_run) {
        warn_of_space(result, flags.out);
        make_folders(flags.out);
        const auto cache = make_patch_cache(pool, options);
        for (PatchmlRow& row : result.rows) {
            ProgressLine progress(row.report.folder.filename().string(), "composites", flags.quiet);
            options.progress = [&](std::uint64_t done, std::uint64_t total, std::uint64_t found) {
                progress.update({.done = done, .total = total, .skipped = found});
            };
            options.seed = row.report.seed;
            const auto start = std::chrono::steady_clock::now();
            row.report = make_composites(pool, options, row.report.folder, cache);
            row.seconds =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        }
    }
    const bool colour = output.to_stdout() && stdout_is_terminal();
    output.write(output.json  ? patchml_json(result)
                 : output.csv ? patchml_csv(result)
                              : patchml_text(result, colour));
    if (!flags.dry_run && !flags.quiet) say_what_next(result, flags.out);
    return pool.rejected.empty() ? Status::done : Status::partial;
}

}  // namespace assay::cli
