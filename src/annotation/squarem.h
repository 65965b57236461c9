// Fewer passes of EM: Varadhan and Roland, "Simple and globally convergent methods for accelerating
// the convergence of any EM algorithm", Scandinavian Journal of Statistics 35 (2008) 335-353.
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

/// Squared extrapolation with their third step length, |step| / |change of the step|. It works on
/// logarithms, so that what it finds are probabilities once they are scaled to sum to 1.
class Squarem {
public:
    Squarem(std::size_t latents, std::size_t answers) : latents_(latents), answers_(answers) {}

    /// Where the first, and what EM makes of it once and twice, point to. Nothing where that is no
    /// farther than EM itself goes.
    std::optional<LogParameters> leap(const LogParameters& first, const LogParameters& second,
                                      const LogParameters& third);
    /// Whether the objective was no lower where the last leap led: longer leaps are tried then,
    /// and shorter ones else.
    void landed(bool uphill);

private:
    void scale(LogParameters& parameters) const;

    std::size_t latents_, answers_;
    double longest_ = 1, last_ = 1;
};

}  // namespace assay
