// assay mad distance: how far two classes are apart, and why.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "assay/error.h"
#include "assay/mad/competition.h"
#include "assay/mad/distance_path.h"
#include "assay/report/distance_tree.h"
#include "cli/cmd_mad.h"
#include "cli/command.h"
#include "cli/outputs.h"

namespace assay::cli {
namespace {

constexpr std::string_view mad_distance_examples = R"(
assay mad distance tench goldfish
assay mad distance n02123045 tench --distance hop
assay mad distance tench goldfish --plot ways.pdf --beside church library
assay mad distance cat dog --competition mad
)";

/// The figure of `way`, and of further pairs of classes.
struct WayFigure {
    std::filesystem::path file;
    std::vector<std::string> beside;

    void check() const {
        if (!file.empty() && !plot_format_of(file))
            throw Error(ErrorCode::usage,
                        fmt::format("--plot {}: unknown extension; allowed: .svg, .pdf, .png",
                                    file.string()));
        if (beside.size() % 2 != 0)
            throw Error(ErrorCode::usage,
                        fmt::format("--beside has {} classes; allowed: pairs, as in `assay mad "
                                    "distance CLASS CLASS --plot FILE --beside CLASS CLASS`",
                                    beside.size()));
    }

    void write(const Hierarchy& hierarchy, mad::DistanceReading reading,
               const mad::DistancePath& way) const {
        if (file.empty()) return;
        std::vector<mad::DistancePath> ways = {way};
        for (std::size_t i = 0; i < beside.size(); i += 2)
            ways.push_back(mad::distance_path(hierarchy, reading, beside[i], beside[i + 1]));
        write_result(file, draw(distance_tree(hierarchy, ways), *plot_format_of(file)));
    }
};

}  // namespace

int mad_distance(std::vector<std::string> arguments) {
    auto app = make_app("mad distance",
                        "Show the distance of two classes that a competition sorts images by, and "
                        "the way through the hierarchy that it measures.",
                        mad_distance_examples);
    std::string first, second, hierarchy = "imagenet", distance = "tree-path";
    std::filesystem::path folder;
    Output output;
    app->add_option("first", first, "Class or category: its id, or a name that only one has")
        ->required()
        ->type_name("CLASS");
    app->add_option("second", second, "The other one")->required()->type_name("CLASS");
    auto* of_hierarchy =
        app->add_option("--hierarchy", hierarchy,
                        "Hierarchy of the classes: imagenet, or a file as in `mad init`")
            ->type_name("HIERARCHY")
            ->capture_default_str();
    auto* of_distance =
        app->add_option("--distance", distance,
                        "tree-path, ancestor-min, ancestor-max, graph-closure-min, "
                        "graph-closure-max, graph-full-min, graph-full-max, hop, hop-full")
            ->type_name("DISTANCE")
            ->capture_default_str();
    auto* of_competition = app->add_option("--competition", folder,
                                           "Use the hierarchy and the distance of a competition")
                               ->type_name("COMPETITION")
                               ->excludes(of_hierarchy)
                               ->excludes(of_distance);
    WayFigure figure;
    auto* plot = app->add_option("--plot", figure.file,
                                 "Also draw the way in the hierarchy: a file that ends in .svg, "
                                 ".pdf or .png")
                     ->type_name("PICTURE");
    app->add_option("--beside", figure.beside,
                    "Draw the ways of further pairs of classes in the same figure, at most three")
        ->expected(2, 2 * static_cast<int>(most_distance_ways - 1))
        ->needs(plot)
        ->type_name("CLASS");
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    figure.check();
    const auto show = [&](const Hierarchy& classes, mad::DistanceReading reading) {
        const mad::DistancePath way = mad::distance_path(classes, reading, first, second);
        figure.write(classes, reading, way);
        output.print(report_of(way));
        return Status::done;
    };

    if (of_competition->count() > 0) {
        if (folder.empty())
            throw Error(ErrorCode::usage,
                        "--competition is empty; allowed: the folder of a competition: assay mad "
                        "distance CLASS CLASS --competition COMPETITION");
        const mad::Competition competition = mad::Competition::open(folder);
        const mad::DistanceReading reading = competition.settings().distance;
        if (mad::no_hierarchy(reading))
            throw Error(ErrorCode::usage,
                        fmt::format("{} has the distance {}, which uses no hierarchy. Omit "
                                    "--competition, and choose --hierarchy and --distance",
                                    as_typed(folder.string()), mad::spelled_distance(reading)));
        return show(competition.hierarchy(), reading);
    }
    const mad::DistanceReading reading = mad::distance_named(distance);
    mad::refuse_part_of_hierarchy(reading, hierarchy);
    using enum mad::DistanceReading;
    const bool closure = reading == graph_closure_min || reading == graph_closure_max;
    if (closure && hierarchy != "imagenet")
        throw Error(ErrorCode::usage,
                    fmt::format("--distance {} depends on all classes of a competition: name it "
                                "with --competition COMPETITION instead",
                                distance));
    return show(hierarchy_named(hierarchy), reading);
}

}  // namespace assay::cli
