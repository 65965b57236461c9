// The gap between two data sets: how far the same models fall from one to the other, by three
// definitions of a correct prediction, and how much of the fall comes from images that hold several
// things.
//
// Sources: Anzaku et al., "Re-assessing ImageNet: How aligned is its single-label assumption with
// its multi-label nature?" and "The Impact of the Single-Label Assumption in Image Recognition
// Benchmarking" (the comparison and ASMA); Kitagawa 1955, "Components of a difference between two
// rates" (standardisation); Nopo 2008, "Matching as a tool to decompose wage gaps" (what only one
// side has).
//
// The values are those of the metrics `topk`, `real`, `asma` and `subgroup_accuracy`, to the last
// bit.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/data/label_sets.h"
#include "assay/describe.h"
#include "assay/evaluate/gap_options.h"
#include "assay/evaluate/gap_report.h"
#include "assay/progress.h"

namespace assay {

/// The stores of one data set, one per model, and the label sets to judge by.
struct GapSide {
    std::string name;
    std::vector<std::filesystem::path> stores;
    std::optional<LabelSets> sets;  ///< one per image; none: the data set's own labels
    std::uint64_t unnamed = 0;  ///< images that the file of `sets` does not name; for the report
};

/// Reads each store once, one after the other; the ranks share its rows and all get the report.
/// Top-1 is against the data set's own labels, ReaL and ASMA against the label sets. Models are
/// matched by name. Intervals are over images. One model's values have those of the metrics
/// (`score` gives the same), and its gaps those of two independent estimates
/// (Newcombe 1998; MOVER: Zou and Donner 2008). All others leave out or reweight random groups of
/// images, the same groups for all models, the two data sets independently. Memory: about 100 KiB
/// for each model and data set, and a few bytes per image. Throws usage and bad_input: no model in
/// common, other classes, labels of another length or outside.
GapReport gap_of_stores(const GapSide& first, const GapSide& second, const GapOptions& options,
                        Comm& comm, const ProgressCallback& progress = {});

/// Published results, one row per model.
struct GapTable {
    struct Row {
        std::string model;
        std::array<std::array<std::optional<double>, 2>, 3>
            metrics;  ///< [metric][data set], proportions
        std::vector<std::array<std::optional<double>, 2>> subgroups;  ///< like GapTable::subgroups
        std::vector<std::array<std::optional<double>, 3>> also;       ///< like GapTable::also
    };
    std::vector<std::string> also;  ///< further data sets, by the ends of their columns' names
    std::vector<std::uint32_t> subgroups;  ///< numbers of labels that have columns
    std::vector<Row> rows;
    std::array<std::array<bool, 2>, 3> has{};  ///< the table has that column
    bool percent = true;                       ///< the file's unit
    std::vector<std::string> ignored;          ///< columns that were not used
};
enum class TableUnit { automatic, percent, proportion };
constexpr auto words_of(TableUnit) {
    using Row = std::pair<TableUnit, std::string_view>;
    return std::array{Row{TableUnit::automatic, "auto"}, Row{TableUnit::percent, "percent"},
                      Row{TableUnit::proportion, "proportion"}};
}
/// csv or tsv with a header: `model`, then `top1_v1`, `top1_v2`, `real_v1`, ... `asma_v2`, and
/// `subgroup3_v1`, ... as far as there are such columns. A metric's name with another ending
/// (`asma_patchml`) is of a further data set; `_gap` and other columns are ignored. An empty cell
/// (or "-", "NA") is undefined. Automatic unit: percent when a cell ends in % or a value is above
/// 1, else proportions. `source` names the text in messages. Throws bad_input: no model column, no
/// pair of columns, a model twice or without a name, a cell that is no number or outside its unit.
GapTable parse_gap_table(std::string_view text, const std::string& source,
                         TableUnit unit = TableUnit::automatic);
GapTable read_gap_table(const std::filesystem::path& path, TableUnit unit = TableUnit::automatic);

/// How many images a data set's published values were measured on, where known.
struct GapImages {
    std::optional<std::uint64_t> top1 = {}, real = {};
    /// Of ASMA: images by their number of labels, one number for each subgroup.
    std::vector<std::uint64_t> counts = {};
};
/// "50000", which is top-1's, or "top1=50000,real=46837". Throws usage, with `option`.
GapImages parse_gap_images(const std::string& text, const std::string& option);

/// The same report as far as a table can tell: no histograms, no decomposition, and intervals of
/// the metrics whose images are known.
GapReport gap_of_table(const GapTable& table, const std::array<std::string, 2>& names,
                       const GapOptions& options, const std::array<GapImages, 2>& images = {});

/// A further data set for models that a report has: csv with `model`, `top1`, `real`, `asma`, as
/// far as there are such columns. The name is the file's. Throws as parse_gap_table.
GapAlso read_also_table(const std::filesystem::path& path, const GapReport& report,
                        TableUnit unit = TableUnit::automatic);
/// The same from a data set's stores, as `score` measures them. Throws as score_store.
GapAlso also_of_stores(const GapSide& side, const GapReport& report, const std::string& subgroups,
                       Comm& comm, const ProgressCallback& progress = {});
/// Orders the models by a column. `against` "": top1_v1, or real_v1 where no model has a top-1 (on
/// composites). Throws usage: no such column, with those that there are.
GapRanking rank_by(const GapReport& report, const std::string& by, const std::string& against,
                   bool dense);
/// "top1_v1", ... "asma_patchml": what rank_by takes.
std::vector<std::string> ranking_columns(const GapReport& report);

/// What is compared: two data sets by their stores, or a table of published values.
struct GapRequest {
    /// Two folders RUNS/DATA_SET, or two names of data sets below `runs`. With a table: names for
    /// the headings, or none.
    std::vector<std::string> sets;
    std::filesystem::path runs;
    /// Files of label sets; empty: the data set's own labels.
    std::array<std::filesystem::path, 2> labels;
    std::filesystem::path table;  ///< empty: stores
    TableUnit unit = TableUnit::automatic;
    /// With a table: how many images its values were measured on (parse_gap_images).
    std::string n1, n2;
    /// With a table: images by their number of labels, for ASMA.
    std::vector<std::uint64_t> counts1, counts2;
    std::filesystem::path families;  ///< csv with model, family
    /// Further data sets: folders or names like `sets`, with their label sets (one for each, or
    /// none); with a table files for read_also_table.
    std::vector<std::string> also;
    std::vector<std::filesystem::path> also_labels;
    std::string also_subgroups;  ///< of their ASMA; "": those of the options
    /// Columns of GapRanking; rank_by "": no ranking; rank_against "": as rank_by() chooses.
    std::string rank_by, rank_against;
    bool dense_ties = false;
    GapOptions options;
};
template <>
inline constexpr auto description<GapRequest> = describe<GapRequest>({
    field<&GapRequest::runs>({.help = "Folder of the runs: V1 and V2 are names of data sets in it",
                              .value = "RUNS"}),
    field<&GapRequest::table>(
        {.help = "Published results instead of stores: csv with model, top1_v1, top1_v2, real_v1, "
                 "... asma_v2",
         .value = "CSV"}),
    field<&GapRequest::unit>({.help = "Unit of the values in --table"}),
    field<&GapRequest::n1>(
        {.help = "Images that --table's values on V1 were measured on, for intervals: 50000 "
                 "(top-1), or top1=50000,real=46837",
         .empty = "not known",
         .value = "N"}),
    field<&GapRequest::n2>({.help = "The same for V2", .empty = "not known", .value = "N"}),
    field<&GapRequest::counts1>(
        {.help = "Images of V1 with 1, 2, ... labels, those that --table's ASMA averages over",
         .min = 1,
         .value = "N,N,..."}),
    field<&GapRequest::counts2>({.help = "The same for V2", .min = 1, .value = "N,N,..."}),
    field<&GapRequest::families>({.help = "Families of models that are variants of each other: csv "
                                          "with model, family; used for `models like these`",
                                  .value = "CSV"}),
    field<&GapRequest::also>(
        {.help = "A further data set for the same models, like V1 (with --table: csv with model, "
                 "top1, real, asma); repeatable",
         .value = "V3",
         .separator = ""}),
    field<&GapRequest::also_labels>(
        {.help = "Label sets of the further data sets, one for each --also",
         .value = "LABELS",
         .separator = ""}),
    field<&GapRequest::also_subgroups>({.help = "Labels per image that their ASMA averages over",
                                        .empty = "--subgroups",
                                        .value = "LIST"}),
    field<&GapRequest::rank_by>({.help = "Rank the models by this column, and show how far each "
                                         "moves: asma_v1, real_v2, asma_patchml, ... (metric_set)",
                                 .empty = "none",
                                 .value = "COLUMN"}),
    field<&GapRequest::rank_against>(
        {.help = "Column whose ranks are compared with those of --rank-by",
         .empty = "top1_v1; if no model has one, as on composites, real_v1",
         .value = "COLUMN"}),
});
/// Throws what can be known before a store is opened: usage as check(GapOptions), and for what does
/// not go together; bad_input: a file that is not there.
void check(const GapRequest& request);
/// Finds the stores or reads the table, and compares. Throws as check(); usage: data sets that are
/// not there, the same one twice; and as gap_of_stores() and read_gap_table().
GapReport run_gap(const GapRequest& request, Comm& comm, const ProgressCallback& progress = {});

}  // namespace assay
