// Decisions by a matrix of costs: for each image the decision with the lowest expected cost by the
// scores, and what it costs on labelled images, compared with the likeliest class.
//
// The interval of a mean cost is the normal one after max(1, (z / 1.96)^2) images are added: images
// of the highest possible cost for the upper end, and of the lowest one for the lower end. So it
// has a width if no image of a rare expensive error was seen. bench/decide_cost_worlds.py: it held
// in at least 95.1 % of 20,000 draws in each of 55 cases at 95 %.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/decisions/operating.h"
#include "assay/estimate.h"
#include "assay/progress.h"
#include "assay/report.h"

namespace assay::decisions {

/// Images of one class with one decision.
struct CostCell {
    std::string truth, decision;  ///< ids of classes; the decision may be "abstain"
    double cost = 0;              ///< of one image
    std::uint64_t images = 0;     ///< by the lowest expected cost
    std::uint64_t likeliest = 0;  ///< images if the likeliest class is the decision
};
struct CostDecision {
    std::string model, dataset;
    std::uint64_t images = 0;
    Estimate cost;              ///< mean per image, of the decisions with the lowest expected cost
    Estimate likeliest_cost;    ///< the same if the likeliest class is the decision
    Estimate difference;        ///< the first minus the second, on the same images
    Estimate abstained;         ///< proportion; undefined without a column `abstain`
    std::uint64_t changed = 0;  ///< images whose decision is not the likeliest class
    std::string constant;       ///< the decision that is cheapest for all images alike
    double constant_cost = 0;
    std::vector<CostCell> cells;  ///< with images in either count, by truth, then by decision
};
struct CostDecisions {
    double level = 0.95;
    std::filesystem::path costs;
    std::vector<CostDecision> models;
    std::uint64_t not_scored = 0;  ///< images without scores, which are skipped
    std::uint64_t refused = 0;     ///< stores that cannot be used; a warning says why
    std::vector<std::string> notes, warnings;
};

/// Uses `stores`, `costs`, `level` and `threads` of the options. Expected costs use the
/// probabilities as they are, so these should be calibrated. The likeliest class stays the decision
/// if no other one is cheaper; of equal ones, the first column is.
///
/// Cost: rows x classes x decisions. Memory: 8 bytes an image. The same bits for any number of
/// threads. Throws usage for an option that cannot act. Throws bad_input for a file that cannot be
/// read as a matrix over the classes of a store, a store without all scores, labels that are no
/// class, and no labelled image with scores. Of several stores, those that cannot be used are
/// skipped with a warning; the error remains if none can be used. A store that cannot be opened is
/// not skipped: its error remains.
CostDecisions cost_decisions(const OperatingOptions& options,
                             const ProgressCallback& progress = {});
/// `assay.cost_decisions/1`. csv: a row for each model.
Report report_of(const CostDecisions& result);

}  // namespace assay::decisions
