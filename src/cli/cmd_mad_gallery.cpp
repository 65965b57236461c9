// assay mad gallery: the selected images as PNG sheets.
#include <CLI/CLI.hpp>
#include <filesystem>

#include "assay/error.h"
#include "assay/mad/gallery.h"
#include "cli/cmd_mad.h"
#include "cli/print_result.h"

namespace assay::cli {
namespace {

constexpr std::string_view mad_gallery_examples = R"(
assay mad gallery mad --out sheets
assay mad gallery mad --out sheets --models resnet50 convnext --side 320 --columns 4
assay mad gallery mad --out sheets --by-tag
assay mad gallery mad --out sheets --tags tags.csv
assay mad gallery mad --out sheets --beside imagenet/val --top-classes 5
assay mad gallery mad --out sheets --beside val --list labels.csv --class boathouse --confirmed
)";

}  // namespace

int mad_gallery(std::vector<std::string> arguments) {
    auto app = make_app("mad gallery",
                        "Draw the selected images of each pair, of each tag, or of each class "
                        "beside labelled images, on a contact sheet (PNG). Below each image are "
                        "both predictions, their confidences and people's decision.",
                        mad_gallery_examples);
    std::filesystem::path folder;
    mad::GalleryOptions options;
    Output output;
    app->add_option("competition", folder, "Folder of the competition")
        ->required()
        ->type_name("COMPETITION");
    app->add_option("--out", options.out,
                    "Output folder; sheets with the same names are replaced, others are kept")
        ->required()
        ->type_name("FOLDER");
    app->add_option("--models", options.models,
                    "Draw only the pairs of these classifiers; for a single one, all its pairs")
        ->type_name("CLASSIFIER");
    auto* by_tag = app->add_flag("--by-tag", options.by_tag,
                                 "Draw a sheet for each tag of the answers instead of each pair, "
                                 "with the images that have it");
    auto* tags = app->add_option("--tags", options.tags,
                                 "The same for the tags of a csv with the columns image and tag")
                     ->excludes(by_tag)
                     ->check(CLI::ExistingFile)
                     ->type_name("CSV");
    auto* beside =
        app->add_option("--beside", options.beside,
                        "Draw a sheet for each class instead: the selected images for which a "
                        "classifier predicts it, and below them those of this labelled data set")
            ->excludes(by_tag)
            ->excludes(tags)
            ->type_name("DATA");
    app->add_option("--list", options.beside_list,
                    "Labels of a flat folder, for --beside: csv, or ImageNet's val list")
        ->needs(beside)
        ->check(CLI::ExistingFile)
        ->type_name("CSV");
    app->add_option("--beside-count", options.beside_count,
                    "At most N labelled images of a class, the first ones (default: all)")
        ->needs(beside)
        ->check(above_zero())
        ->type_name("N");
    auto* classes = app->add_option("--class", options.classes, "Draw only these classes")
                        ->needs(beside)
                        ->type_name("CLASS");
    app->add_option("--top-classes", options.top_classes,
                    "Draw only the N classes with the most selected images, of those with labelled "
                    "images")
        ->needs(beside)
        ->excludes(classes)
        ->check(above_zero())
        ->type_name("N");
    app->add_flag("--confirmed", options.confirmed,
                  "Draw only selected images whose class annotators confirm")
        ->needs(beside);
    app->add_option("--side", options.side, "Longer side of an image, pixels")
        ->check(CLI::Range(32, 1024))
        ->type_name("N")
        ->capture_default_str();
    app->add_option("--columns", options.columns, "Images in a row")
        ->check(CLI::Range(1, 50))
        ->type_name("N")
        ->capture_default_str();
    app->add_option("-j,--threads", options.threads,
                    "Threads (default: one per core); same "
                    "results")
        ->type_name("N")
        ->check(not_below_zero());
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    options.by_tag = options.by_tag || tags->count() > 0;
    if (beside->count() > 0 && options.beside.empty())
        throw Error(ErrorCode::usage,
                    "--beside is empty; allowed: a labelled data set: assay mad gallery "
                    "COMPETITION --out FOLDER --beside DATA");
    const mad::Competition competition = mad::Competition::open(folder);
    return print_result(output, "gallery", "images", [&](const ProgressCallback& line) {
        return mad::make_gallery(competition, options, line);
    });
}

}  // namespace assay::cli
