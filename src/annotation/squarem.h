// Accelerates EM: Varadhan and Roland, "Simple and globally convergent methods for accelerating the
// convergence of any EM algorithm", Scandinavian Journal of Statistics 35 (2008) 335-353.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace assay {

/// Logarithms of the parameters of Dawid and Skene's model.
struct LogParameters {
    std::vector<double> prior;  ///< L
    std::vector<double> table;  ///< [annotator * K + answer][latent]: log P(answer | latent)
};

/// Squared extrapolation with the paper's third step length, |step| / |change of the step|. It
/// works on logarithms, so that its results are probabilities after scaling them to sum to 1.
class Squarem {
public:
    Squarem(std::size_t latents, std::size_t answers) : latents_(latents), answers_(answers) {}

    /// Extrapolates from the first parameters and the results of one and two EM steps. Returns
    /// nothing if this goes no farther than EM.
    std::optional<LogParameters> leap(const LogParameters& first, const LogParameters& second,
                                      const LogParameters& third);
    /// Reports whether the objective did not decrease after the last extrapolation. If not, later
    /// steps are shorter; otherwise they may be longer.
    void landed(bool uphill);

private:
    void scale(LogParameters& parameters) const;

    std::size_t latents_, answers_;
    double longest_ = 1, last_ = 1;
};

}  // namespace assay
