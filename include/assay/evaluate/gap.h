// Measures the gap between two data sets: how much the same models lose from one data set to the
// other. It uses three definitions of a correct prediction, and shows how much of the loss comes
// from images with several objects.
//
// Anzaku et al. define the comparison and ASMA in two papers. The first is "Re-assessing ImageNet:
// How aligned is its single-label assumption with its multi-label nature?". The second is "The
// Impact of the Single-Label Assumption in Image Recognition Benchmarking". The standardisation is
// from Kitagawa 1955, "Components of a difference between two rates". The treatment of items that
// only one side has is from Nopo 2008, "Matching as a tool to decompose wage gaps".
//
// The values are those of the metrics `topk`, `real`, `asma` and `subgroup_accuracy`, to the last
// bit.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
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

/// The stores of one data set, one per model, and the label sets for judging them.
struct GapSide {
    std::string name;
    std::vector<std::filesystem::path> stores;
    std::optional<LabelSets> sets;  ///< one per image; without a value, the data set's own labels
    std::uint64_t unnamed = 0;  ///< images that are not named in the file of `sets`; for the report
};

/// Reads each store once, one after the other; the ranks share its rows, and every rank gets the
/// report. Top-1 is against the data set's own labels, ReaL and ASMA against the label sets. Models
/// are matched by name. Intervals are over images. The values of one model have the intervals of
/// the metrics (`score` gives the same). Its gaps have the intervals for the difference of two
/// independent estimates (Newcombe 1998; MOVER: Zou and Donner 2008). All other intervals exclude
/// or reweight random groups of images: the groups are the same for all models and independent
/// between the two data sets. Memory: about 100 KiB per model and data set, and a few bytes per
/// image. Throws usage and bad_input: no model in common, different classes, labels of a different
/// length or out of range.
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
    std::vector<std::string> also;  ///< further data sets, identified by the suffixes of their
                                    ///< columns
    std::vector<std::uint32_t> subgroups;  ///< numbers of labels for which columns exist
    std::vector<Row> rows;
    std::array<std::array<bool, 2>, 3> has{};  ///< true if the table has that column
    bool percent = true;                       ///< the file's unit
    std::vector<std::string> ignored;          ///< columns that were not used
};
enum class TableUnit { automatic, percent, proportion };
constexpr auto words_of(TableUnit) {
    using Row = std::pair<TableUnit, std::string_view>;
    return std::array{Row{TableUnit::automatic, "auto"}, Row{TableUnit::percent, "percent"},
                      Row{TableUnit::proportion, "proportion"}};
}
/// Parses a csv or tsv file with a header: `model`, then `top1_v1`, `top1_v2`, `real_v1`, ...
/// `asma_v2`, and `subgroup3_v1`, ... if such columns exist. A metric's name with another suffix
/// (`asma_patchml`) belongs to a further data set; `_gap` and other columns are ignored. An empty
/// cell (or "-", "NA") is undefined. The automatic unit is percent if a cell ends in % or a value
/// is above 1, otherwise proportions. `source` names the text in messages. Throws bad_input if
/// there is no model column or no pair of columns, or if a model has no name or is named twice.
/// Also throws bad_input for a cell that is not a number or is out of range.
GapTable parse_gap_table(std::string_view text, const std::string& source,
                         TableUnit unit = TableUnit::automatic);
GapTable read_gap_table(const std::filesystem::path& path, TableUnit unit = TableUnit::automatic);

/// The number of images behind the published values of a data set, if known.
struct GapImages {
    std::optional<std::uint64_t> top1 = {}, real = {};
    /// For ASMA: the number of images with each number of labels, one entry per subgroup.
    std::vector<std::uint64_t> counts = {};
};
/// Parses "50000", which is for top-1, or "top1=50000,real=46837". Throws usage, with `option`.
GapImages parse_gap_images(const std::string& text, const std::string& option);

/// The same report as far as a table allows: it has no histograms and no decomposition, and
/// intervals only for metrics whose images are known.
GapReport gap_of_table(const GapTable& table, const std::array<std::string, 2>& names,
                       const GapOptions& options, const std::array<GapImages, 2>& images = {});

/// Reads a further data set for models of a report: csv with `model`, `top1`, `real`, `asma`, if
/// such columns exist. The name is the file's. Throws as parse_gap_table() does.
GapAlso read_also_table(const std::filesystem::path& path, const GapReport& report,
                        TableUnit unit = TableUnit::automatic);
/// The same from a data set's stores, as `score` measures them. Throws as score_store() does.
GapAlso also_of_stores(const GapSide& side, const GapReport& report, const std::string& subgroups,
                       Comm& comm, const ProgressCallback& progress = {});
/// The means over data sets that repeat one another, such as composites from five seeds, as one
/// further data set. `sides` are the data sets, `name` stands for all of them. The values are those
/// of score_across() over the models of the report. A data set without any of them is skipped with
/// a warning. Throws as also_of_stores() and score_across() do, and bad_input if all are skipped.
GapAlso also_across(std::span<const GapSide> sides, const std::string& name,
                    const GapReport& report, const std::string& subgroups, Comm& comm,
                    const ProgressCallback& progress = {});
/// The same from means that are already computed. A model that lacks one of the data sets has no
/// value, because its mean would be over others than those of the other models.
GapAlso also_of_means(const std::string& name, const std::string& subgroups,
                      std::vector<AcrossResult> means, const GapReport& report);
/// Orders the models by a column. If `against` is "", it is top1_v1, or real_v1 if no model has a
/// top-1 (on composites). Throws usage if the column does not exist; the message lists the columns.
GapRanking rank_by(const GapReport& report, const std::string& by, const std::string& against,
                   bool dense);
/// The names that rank_by() accepts: "top1_v1", ... "asma_patchml".
std::vector<std::string> ranking_columns(const GapReport& report);

/// The comparison: two data sets by their stores, or a table of published values.
struct GapRequest {
    /// Two folders RUNS/DATA_SET, or two names of data sets below `runs`. With a table: two names
    /// for the headings, or none.
    std::vector<std::string> sets;
    std::filesystem::path runs;
    /// Files of label sets; empty means the data set's own labels.
    std::array<std::filesystem::path, 2> labels;
    std::filesystem::path table;  ///< empty: stores
    TableUnit unit = TableUnit::automatic;
    /// With a table, the number of images for its values (parse_gap_images()).
    std::string n1, n2;
    /// With a table: the number of images with each number of labels, for ASMA.
    std::vector<std::uint64_t> counts1, counts2;
    std::filesystem::path families;  ///< csv with the columns model and family
    /// Further data sets: folders or names like `sets`, with their label sets (one for each, or
    /// none). A pattern of names (patchml-seed*, runs/patchml-seed*) is the mean over the data sets
    /// that match. With a table: files for read_also_table().
    std::vector<std::string> also;
    std::vector<std::filesystem::path> also_labels;
    std::string also_subgroups;  ///< subgroups of their ASMA; "" means those of the options
    /// Columns of GapRanking. If rank_by is "", there is no ranking; if rank_against is "",
    /// rank_by() chooses it.
    std::string rank_by, rank_against;
    bool dense_ties = false;
    std::vector<std::string> by;  ///< attributes of both data sets; not with a table
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
        {.help = "A further data set for the same models, like V1. 'patchml-seed*' is the mean "
                 "over the data sets that match. With --table: csv with model, top1, real, asma; "
                 "repeatable",
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
    field<&GapRequest::by>(
        {.help = "Also show the gap of top1 and real in each group of images with one value of "
                 "this attribute of both data sets. The names sex,camera stand for each "
                 "combination of values; repeatable",
         .empty = "none",
         .value = "ATTR",
         .separator = ""}),
});
/// Checks what can be known before a store is opened. Throws usage as check(GapOptions) does and
/// for options that do not go together; bad_input for a missing file.
void check(const GapRequest& request);
/// Finds the stores or reads the table, and compares. Throws as check(), gap_of_stores() and
/// read_gap_table() do; usage if a data set does not exist or is named twice.
GapReport run_gap(const GapRequest& request, Comm& comm, const ProgressCallback& progress = {});

}  // namespace assay
