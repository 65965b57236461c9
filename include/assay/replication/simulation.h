// Simulates replication studies with a known answer: data sets whose true adjusted accuracy is
// computed, not estimated.
//
// A study has two sets of classes * images_per_class images. `annotators` annotators judge every
// class, the same ones in both sets. Classifier m of M has t = m / (M - 1). Hits of one image
// depend on each other through a normal variable with weight 0.7, because easy images are easy for
// all classifiers. Draws depend only on (seed, set, image), so results do not depend on the number
// of threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "assay/progress.h"
#include "assay/replication/cells.h"
#include "assay/result_type.h"

namespace assay::replication {

enum class World {
    beta,      ///< rates are mixtures of betas; P(correct | s) = c0 + c1 s + c2 s^9; the true gap
               ///< is 3.6 points
    lenient,   ///< the same, with annotators of different leniency who each judge a class in both
               ///< sets
    probit,    ///< class effects, a proportion of images that everybody selects, and a curve with
               ///< another shape
    steep,     ///< rates from easy and hard images, and a logistic step as the curve; no method was
               ///< tuned on it
    matching,  ///< 20 original and 80 candidate images per class, 10 annotators, one classifier:
               ///< for statistic matching
};
std::string_view name_of(World world);
World world_named(std::string_view name);

struct SimulationOptions {
    World world = World::beta;
    std::uint32_t classes = 1000;
    std::uint32_t images_per_class = 10;  ///< not used by World::matching
    int annotators = 40;
    std::uint32_t classifiers = 20;  ///< at least 2; not used by World::matching
    std::uint64_t seed = 1;
    int threads = 1;
};

struct SimulatedSet {
    std::vector<std::uint32_t> classes;  ///< class of each image
    std::vector<double> rate;            ///< true selection rate of each image
    std::vector<std::uint8_t> selected;  ///< image-major: one answer per image and annotator
    std::vector<std::uint8_t> hits;      ///< image-major: one hit per image and classifier
    std::size_t size() const noexcept { return classes.size(); }
    /// The number of an image's first `annotators` annotators who selected it.
    std::uint16_t k(std::size_t image, int annotators) const;
};

struct Simulation {
    SimulationOptions options;
    SimulatedSet first, second;
    std::vector<std::uint32_t> annotators;  ///< class-major: the annotators of each class
    std::uint32_t annotator_pool = 0;
    struct Truth {
        std::vector<double> adjusted, first, second;  ///< expected accuracies by classifier
        double first_rate = 0, second_rate = 0;       ///< expected selection rates
    } truth;
};
/// The truth as JSON. Schema assay.replicate_truth/1.
ResultType result_type(ResultOf<Simulation>);

/// Throws usage for sizes of 0, fewer than 2 classifiers or more than max_annotators annotators.
/// `progress` counts classes.
Simulation simulate(const SimulationOptions& options, const ProgressCallback& progress = {});

/// Computes only the true accuracies, by quadrature for World::probit and World::steep.
Simulation::Truth true_accuracies(const SimulationOptions& options);

/// Writes the files of a real study, plus the truth: original.csv, replication.csv (candidates.csv
/// for World::matching), original-hits.csv, replication-hits.csv (candidates-hits.csv), truth.json.
/// Throws usage if a file exists with other contents and `overwrite` is false.
std::vector<std::string> write_simulation(const Simulation& simulation,
                                          const std::filesystem::path& folder, bool overwrite);

}  // namespace assay::replication
