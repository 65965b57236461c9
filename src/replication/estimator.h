// A common interface for all estimators of adjusted accuracies, for estimates and for their
// bootstrap.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "assay/replication/adjust.h"
#include "assay/replication/estimators.h"
#include "replication/influence.h"

namespace assay::replication {

/// Correct images of set 2, cell-major.
struct Correct {
    std::size_t models = 0;
    std::vector<double> by_cell;
    std::vector<double> of(std::size_t model) const;
};

/// The sum over cells of weight * correct, for every model.
std::vector<double> weigh(const CellWeights& weights, const Correct& correct);

/// Immutable after construction and thread-safe.
class Estimator {
public:
    virtual ~Estimator() = default;
    virtual std::string id() const = 0;
    virtual std::string definition() const = 0;
    /// The adjusted accuracy of each model. Stores further results in `result` if given. Estimators
    /// with errors in closed form store their influence values in `effects` if requested. Throws
    /// Error{bad_input} if undefined.
    virtual std::vector<double> estimate(const CellCounts& first, const CellCounts& second,
                                         const Correct& correct, MethodResult* result = nullptr,
                                         CellEffects* effects = nullptr) const = 0;
    /// False if it is too slow for a bootstrap.
    virtual bool resamples() const { return true; }
};

/// The requested estimators, with the quoted one first. `first` and `second` are the study's
/// counts, for precomputed tables and warm starts.
std::vector<std::unique_ptr<Estimator>> make_estimators(const AdjustOptions& options,
                                                        const CellCounts& first,
                                                        const CellCounts& second);
/// The naive estimator at `n` annotators, to which images with more are thinned. For d > 0, the
/// jackknife that leaves out d annotators. Images with fewer than `n` are excluded.
std::unique_ptr<Estimator> make_reweighing(const CellCounts& first, const CellCounts& second, int n,
                                           int d, EmptyBins rule);
/// The moments exclude images with fewer than `least` annotators.
std::unique_ptr<Estimator> make_moments(std::vector<int> exponents, int least);
std::unique_ptr<Estimator> make_penalised_likelihood(int threads, double level = .95);
/// Fits the mixtures of both sets immediately. Bootstrap replicates start from these fits.
std::unique_ptr<Estimator> make_mixture(const AdjustOptions& options, const CellCounts& first,
                                        const CellCounts& second);
std::unique_ptr<Estimator> make_npmle();

}  // namespace assay::replication
