#include "cli/paper_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "assay/error.h"
#include "cli/paper_mad.h"
#include "cli/paper_tables.h"
#include "core/text.h"

namespace assay::cli {
namespace {

constexpr std::string_view photographs =
    "it needs photographs in a figure, which the plots do not have";

/// Anzaku et al., "Re-assessing ImageNet" (A) and "The Impact of the Single-Label Assumption in
/// Image Recognition Benchmarking" (B).
constexpr PaperRow multilabel_rows[] = {
    {.id = "table-1",
     .number = "A Table 1, B Table 1",
     .shows = "images of both data sets by their number of valid labels",
     .source = PaperSource::stores,
     .table = paper_tables::labels_per_image},
    {.id = "table-2",
     .number = "A Table 2, B Table 2",
     .shows = "composites by their number of objects, a row for each seed",
     .source = PaperSource::composites,
     .table = paper_tables::composites},
    {.id = "table-3",
     .number = "A Table 3, B Table 3",
     .shows = "the best models by ASMA on the composites, with their ranks by top-1",
     .source = PaperSource::ranked,
     .table = paper_tables::best},
    {.id = "table-4",
     .number = "A Tables 4 to 10",
     .shows = "every model on all data sets by every metric, and its change of rank",
     .source = PaperSource::gap,
     .table = paper_tables::models},
    {.id = "text-1",
     .number = "A and B, in the text",
     .shows = "the range of the gaps by each metric, and how many models are within a point",
     .source = PaperSource::gap,
     .table = paper_tables::ranges},
    {.id = "text-2",
     .number = "A and B, in the text",
     .shows = "the models that lose less than a point, and by which metrics",
     .source = PaperSource::gap,
     .table = paper_tables::within},
    {.id = "figure-1",
     .number = "A Figure 1, B Figure 1",
     .shows = "photographs with the five best classes as bars",
     .not_yet = photographs},
    {.id = "figure-2",
     .number = "A Figure 2, B Figure 2",
     .shows = "how a composite is made from its source images",
     .not_yet = photographs},
    {.id = "figure-3",
     .number = "A Figure 3",
     .shows = "two other augmentations",
     .not_yet = "it is an illustration that does not depend on your models"},
    {.id = "figure-4",
     .number = "A Figure 4, B Figure 3",
     .shows = "the proportion of images by their number of labels, both data sets side by side",
     .source = PaperSource::stores,
     .plot = "gap-histogram"},
    {.id = "figure-5",
     .number = "A Figure 5, B Figure 4",
     .shows = "models by their place on the first data set, with both accuracies and the gap, a "
              "plot for each metric",
     .source = PaperSource::gap,
     .plot = "gap-models"},
    {.id = "figure-6",
     .number = "A Figure 6, B Figure 5, the second of two plots",
     .shows = "agreement by the number of labels, a box for each data set and a dot for each model",
     .source = PaperSource::stores,
     .plot = "gap-labels"},
    {.id = "figure-7",
     .number = "A Figure 7, B Figure 6, the lines without the boxes",
     .shows = "composites by their number of objects: the five best models by top-1, and the five "
              "best by ASMA",
     .source = PaperSource::composites,
     .plot = "score-labels",
     .best_by_both = true},
    {.id = "figure-8",
     .number = "A Figure 8, B Figure 7",
     .shows = "composites with their nine best classes as bars",
     .not_yet = photographs},
};

/// Engstrom et al., "Identifying Statistical Bias in Dataset Replication".
constexpr PaperRow replication_rows[] = {
    {.id = "table-1",
     .number = "Table 1 (D.2)",
     .shows = "mean frequencies of the reference and of matched candidates, in-sample and held out",
     .not_yet = "type `assay replicate match`, which prints it"},
    {.id = "table-2",
     .number = "Table 2",
     .shows = "every model's accuracy on both data sets, as measured and adjusted",
     .source = PaperSource::adjust,
     .table = paper_tables::adjusted},
    {.id = "figure-1",
     .number = "Figures 1 and 8",
     .shows = "photographs of a class by their selection frequency",
     .not_yet = photographs},
    {.id = "figure-2a",
     .number = "Figure 2, left",
     .shows = "densities of the selection rates of both data sets",
     .source = PaperSource::adjust,
     .plot = "replicate-densities"},
    {.id = "figure-2b",
     .number = "Figure 2, right",
     .shows = "densities of the rates of images that 0, half, four fifths or all of the "
              "annotators selected",
     .source = PaperSource::adjust,
     .plot = "replicate-readings"},
    {.id = "figure-3",
     .number = "Figure 3",
     .shows = "what matching yields for two densities that are known",
     .not_yet = "it does not depend on your models"},
    {.id = "figure-4",
     .number = "Figure 4",
     .shows = "images by how many annotators selected them, both data sets side by side",
     .source = PaperSource::figures,
     .plot = "replicate-histogram"},
    {.id = "figure-5a",
     .number = "Figure 5a",
     .shows = "images by their selection frequency, a line for each number of annotators",
     .source = PaperSource::figures,
     .plot = "replicate-skew"},
    {.id = "figure-5b",
     .number = "Figure 5b",
     .shows = "accuracy by selection frequency, a line for each number of annotators",
     .source = PaperSource::figures,
     .plot = "replicate-accuracy"},
    {.id = "figure-5c",
     .number = "Figure 5c",
     .shows = "accuracy on the original by adjusted accuracy, a mark for each model and number of "
              "annotators, a plot for each method",
     .source = PaperSource::figures,
     .plot = "replicate-models"},
    {.id = "figure-6",
     .number = "Figure 6",
     .shows = "accuracies on both data sets, as measured and adjusted",
     .source = PaperSource::adjust,
     .plot = "replicate-adjust"},
    {.id = "figure-7",
     .number = "Figure 7",
     .shows = "observed readings and those that the fitted density implies",
     .source = PaperSource::figures,
     .plot = "replicate-fit"},
    {.id = "figure-9",
     .number = "Figure 9",
     .shows = "how often one annotator saw one image",
     .not_yet =
         "no result has these counts; `assay replicate frequencies` prints their proportion"},
    {.id = "figure-10",
     .number = "Figure 10",
     .shows = "the page for annotators",
     .not_yet = "type `assay serve`, which shows it"},
    {.id = "figure-11",
     .number = "Figures 11 and 12",
     .shows = "the gap that remains by the number of annotators, a line for each method",
     .source = PaperSource::figures,
     .plot = "replicate-annotators"},
    {.id = "figure-13",
     .number = "Figures 13 and 14",
     .shows = "figure 6 for other numbers of annotators, and of betas",
     .not_yet = "figure-5c has the numbers of annotators; for betas, type `assay replicate adjust "
                "--parts-sweep 3,5,7,9`"},
};

/// Wang, Chen, Wang and Ma, "I am going MAD: maximum discrepancy competition for comparing
/// classifiers adaptively".
constexpr PaperRow mad_rows[] = {
    {.id = "figure-1",
     .number = "Figure 1",
     .shows = "how images are selected and judged",
     .not_yet = "it is an illustration; figure-7 has the photographs of a pair"},
    {.id = "figure-2",
     .number = "Figure 2, as a table",
     .shows = "the ways through the hierarchy between the nearest and between the farthest two "
              "labels of a selected image",
     .source = PaperSource::distances,
     .table = paper_mad::ways},
    {.id = "figure-3",
     .number = "Figures 3 and 6",
     .shows = "photographs that were selected for a label, beside all validation photographs of it",
     .not_yet = "a competition has no validation photographs"},
    {.id = "figure-4",
     .number = "Figure 4",
     .shows = "who beats whom: the proportion of a pair's images on which the row's classifier is "
              "correct, and the probability that it is better",
     .source = PaperSource::ranking,
     .plot = "mad-pairs"},
    {.id = "table-1",
     .number = "Table 1",
     .shows = "every classifier's rank by accuracy and in the competition",
     .source = PaperSource::ranking,
     .table = paper_mad::ranks},
    {.id = "text-1",
     .number = "in the text",
     .shows = "the correlation of the ranking with accuracy",
     .source = PaperSource::ranking,
     .table = paper_mad::correlations},
    {.id = "figure-5",
     .number = "Figure 5",
     .shows = "the correlation of the ranking by fewer images of each pair with the whole one",
     .source = PaperSource::ranking,
     .plot = "mad-ablation"},
    {.id = "figure-7",
     .number = "Figure 7",
     .shows = "the photographs of a pair with both predictions and people's decision",
     .source = PaperSource::pair,
     .sheets = paper_mad::pair_sheets},
    {.id = "figure-8",
     .number = "Figures 8, 9 and 10, as a table",
     .shows = "images by way to fail, each classifier's errors on them, and its place without them",
     .source = PaperSource::ranking,
     .table = paper_mad::tags},
};

}  // namespace

const std::vector<Paper>& papers() {
    static const std::vector<Paper> all = {
        {"multilabel", "Several labels per image", "v1 and v2, or table", multilabel_rows},
        {"replication", "Bias in the replication of a data set", "original, replication, v1 and v2",
         replication_rows},
        {"mad", "A MAD competition", "competition", mad_rows},
    };
    return all;
}

const Paper& paper_named(std::string_view name) {
    std::vector<std::string> names;
    for (const Paper& paper : papers()) {
        if (paper.name == name) return paper;
        names.emplace_back(paper.name);
    }
    if (name == "quality")
        throw Error(ErrorCode::usage,
                    fmt::format("the tables and figures of `quality` are not made by this command "
                                "yet; allowed: {}; type `assay plot --help` for its single figures",
                                fmt::join(names, ", ")));
    throw Error(ErrorCode::usage,
                fmt::format("unknown paper `{}`{}", shortened(name), suggest(name, names)));
}

}  // namespace assay::cli
