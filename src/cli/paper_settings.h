// The table [paper] of an assay.toml: the inputs of `assay paper`.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/describe.h"
#include "assay/evaluate/gap.h"
#include "assay/report/draw.h"

namespace assay {

constexpr auto words_of(PlotFormat) {
    using Row = std::pair<PlotFormat, std::string_view>;
    return std::array{Row{PlotFormat::svg, "svg"}, Row{PlotFormat::pdf, "pdf"},
                      Row{PlotFormat::png, "png"}};
}

}  // namespace assay

namespace assay::cli {

/// Ranks after equal values: 1, 2, 2, 4 or 1, 2, 2, 3.
enum class PaperTies { standard, dense };
constexpr auto words_of(PaperTies) {
    using Row = std::pair<PaperTies, std::string_view>;
    return std::array{Row{PaperTies::standard, "standard"}, Row{PaperTies::dense, "dense"}};
}

struct PaperSettings {
    std::string v1, v2;
    std::filesystem::path labels1, labels2;
    std::string composites;
    std::string composite_subgroups = "2,3,4,6,9";
    std::filesystem::path table;
    std::string n1, n2;
    std::vector<std::uint64_t> counts1, counts2;
    std::filesystem::path original, replication;
    std::filesystem::path hits1, hits2;
    std::vector<std::string> methods = {"pl", "moments", "naive", "jackknife"};
    std::filesystem::path competition, against, tags;
    std::filesystem::path beside, beside_list;
    std::vector<std::string> pair;
    std::filesystem::path quality;
    std::vector<std::string> groups;
    std::string by;
    PaperTies ties = PaperTies::dense;
    std::uint64_t best = 10;
    std::vector<PlotFormat> formats = {PlotFormat::svg, PlotFormat::pdf};
};

/// Checks that the settings go together.
std::string fault_of(const PaperSettings& settings);

/// What `assay paper` reads of an assay.toml.
struct PaperConfig {
    std::filesystem::path runs;  ///< folder of the stored predictions
    PaperSettings settings;
};
/// Reads the table; relative paths are relative to `folder`. Throws bad_input for unknown keys
/// (with the nearest) and wrong values.
PaperSettings read_paper(const nlohmann::json& table, const std::filesystem::path& folder);
/// Reads `out` and the table [paper] of the file. The other tables are for `assay run`. Throws as
/// read_paper(), and bad_input if the file has no such table.
PaperConfig read_paper_config(const std::filesystem::path& file);

}  // namespace assay::cli

namespace assay {

template <>
inline constexpr auto description<cli::PaperSettings> = describe<cli::PaperSettings>({
    field<&cli::PaperSettings::v1>({.help = "First data set: its name in the folder of the runs",
                                    .empty = "none"}),
    field<&cli::PaperSettings::v2>({.help = "Second data set", .empty = "none"}),
    field<&cli::PaperSettings::labels1>({.help = "Label sets of the first data set",
                                         .empty = "its own labels"}),
    field<&cli::PaperSettings::labels2>({.help = "Label sets of the second data set",
                                         .empty = "its own labels"}),
    field<&cli::PaperSettings::composites>(
        {.help = "Data sets of composites, such as patchml-seed*; values are means over them. With "
                 "`table`: the ending of their columns",
         .empty = "none"}),
    field<&cli::PaperSettings::composite_subgroups>(
        {.help = "Numbers of objects that the composites' ASMA averages over"}),
    field<&cli::PaperSettings::table>(
        {.help = "Published values instead of stores, as of assay gap --table", .empty = "none"}),
    field<&cli::PaperSettings::n1>(
        {.help = "With `table`: images of the first data set, as of assay gap --n1",
         .empty = "not known"}),
    field<&cli::PaperSettings::n2>({.help = "The same for the second", .empty = "not known"}),
    field<&cli::PaperSettings::counts1>(
        {.help = "With `table`: images of the first data set with 1, 2, ... labels", .min = 1}),
    field<&cli::PaperSettings::counts2>({.help = "The same for the second", .min = 1}),
    field<&cli::PaperSettings::original>(
        {.help = "Annotations or frequencies of v1, for the replication study", .empty = "none"}),
    field<&cli::PaperSettings::replication>({.help = "The same of v2", .empty = "none"}),
    field<&cli::PaperSettings::hits1>(
        {.help = "Hits of the models on v1, as of assay replicate adjust --hits",
         .empty = "the stores of v1"}),
    field<&cli::PaperSettings::hits2>({.help = "The same on v2", .empty = "the stores of v2"}),
    field<&cli::PaperSettings::methods>(
        {.help = "Methods of the replication study, as of assay replicate adjust --methods"}),
    field<&cli::PaperSettings::competition>(
        {.help = "Folder of a competition with answers, for the study mad", .empty = "none"}),
    field<&cli::PaperSettings::against>(
        {.help = "Accuracies to compare its ranking with, as of assay mad rank --against",
         .empty = "its control sample"}),
    field<&cli::PaperSettings::tags>({.help = "Ways to fail, as of assay mad rank --tags",
                                      .empty = "the tags of the answers"}),
    field<&cli::PaperSettings::beside>(
        {.help = "Labelled images of the classes, as of assay mad gallery --beside",
         .empty = "none"}),
    field<&cli::PaperSettings::beside_list>({.help = "With `beside`: labels of a flat folder",
                                             .empty = "none"}),
    field<&cli::PaperSettings::pair>({.help = "The two classifiers whose images are shown",
                                      .empty = "the two best that have images"}),
    field<&cli::PaperSettings::quality>(
        {.help =
             "Table of the nine dimensions (csv or json), or `published`, for the study quality",
         .empty = "none"}),
    field<&cli::PaperSettings::groups>(
        {.help = "Groups of models to compare, each as \"TAG=VALUE | TAG=VALUE\"",
         .empty = "none"}),
    field<&cli::PaperSettings::by>(
        {.help = "Tag: correlations also among the models of each of its values", .empty = "none"}),
    field<&cli::PaperSettings::ties>(
        {.help = "Ranks after equal values: standard (1, 2, 2, 4), or dense (1, 2, 2, 3) as in the "
                 "papers"}),
    field<&cli::PaperSettings::best>(
        {.help = "Models in tables of the best", .min = 1, .max = 100'000}),
    field<&cli::PaperSettings::formats>({.help = "Formats of the figures"}),
});

}  // namespace assay
