#include "assay/mad/posterior.h"

#include "mad/pair_observations.h"
#include "mad/working_scores.h"

namespace assay::mad {

std::vector<double> posterior_scores(std::size_t classifiers, std::span<const PairCounts> pairs,
                                     const PosteriorOptions& options) {
    check_posterior_options(options);
    log_ratios(classifiers, pairs);  // only for its checks
    std::vector<PairObservation> seen;
    for (const PairCounts& c : pairs) {
        // Images that show neither label contain no information about a ratio.
        if (c.first_correct() + c.second_correct() == 0) continue;
        seen.push_back({.i = c.first,
                        .j = c.second,
                        .first = static_cast<double>(c.first_correct()),
                        .second = static_cast<double>(c.second_correct()),
                        .both = static_cast<double>(c.both)});
    }
    const std::vector<double> theta = observe_pairs(classifiers, seen, options);
    PairMatrix l(classifiers);
    for (std::size_t i = 0; i < classifiers; ++i) {
        for (std::size_t j = i + 1; j < classifiers; ++j) l.at(i, j) = theta[i] - theta[j];
    }
    for (const PairObservation& pair : seen)
        l.at(pair.i, pair.j) = log_ratio_of(pair, theta, options);
    const auto all = static_cast<double>(classifiers);
    std::vector<double> out(classifiers, 0.0);
    for (std::size_t i = 0; i < classifiers; ++i) {
        for (std::size_t j = i + 1; j < classifiers; ++j) {
            out[i] += l.at(i, j) / all;
            out[j] -= l.at(i, j) / all;
        }
    }
    return out;
}

}  // namespace assay::mad
