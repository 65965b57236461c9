// Derivatives of the posterior of one image by its inputs.
#pragma once

#include <span>
#include <vector>

#include "annotation/true_sets/set_posterior.h"

namespace assay::true_sets {

/// The weights of a number that is linear in the posterior: sum of joint(c)[g] * by_class[c][g],
/// and of size()[g] * by_size[g].
struct LinearForm {
    std::vector<double> by_class, by_size;  ///< K x (K + 1) weights, K + 1 weights
    double value(const SetPosterior& posterior) const;
};

/// Exact derivatives of the posteriors of K classes, of the prior's expectations, of P(g) and of
/// linear forms. Rows are the inputs, columns the outputs.
struct Moves {
    std::vector<double> yes, expected, size;  ///< rows x K, rows x K, rows x (K + 1)
    std::vector<double> forms;                ///< rows x forms
};
class SetDerivatives {
public:
    /// `posterior` must have been computed. Cost: K^3 log K.
    void compute(const SetPosterior& posterior, std::span<const LinearForm> forms);

    const Moves& by_ratio() const { return by_ratio_; }  ///< K rows: by log L of each class
    const Moves& by_odds() const { return by_odds_; }    ///< K rows: by log w of each class
    const Moves& by_size() const { return by_size_; }    ///< K + 1 rows: by log P(g)

private:
    void pairs(std::span<const double> probability, std::size_t c, std::span<const double> scale,
               std::vector<double>& out);

    Moves by_ratio_, by_odds_, by_size_;
    SizesWithoutOne without_one_;
    std::vector<double> others_, without_, pair_, pair_before_, joint_, scale_before_;
};

}  // namespace assay::true_sets
