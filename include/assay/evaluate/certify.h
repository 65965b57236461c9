// Certified accuracy by randomised smoothing (Cohen, Rosenfeld, Kolter, "Certified adversarial
// robustness via randomized smoothing", ICML 2019).
//
// The smoothed classifier returns the class that the model predicts most often when Gaussian noise
// of standard deviation sigma is added to the pixels (in [0, 1], before the normalisation, without
// clipping). Its prediction cannot change within an l2 distance that the procedure computes for
// each image. Distances are in the unit of attacks with the norm l2.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/describe.h"
#include "assay/estimate.h"
#include "assay/evaluate/predict.h"
#include "assay/progress.h"
#include "assay/report.h"

namespace assay {

struct CertifyOptions {
    /// batch_size is the number of noisy copies that go through the model together.
    PredictOptions predict;
    double sigma = 0.25;
    std::uint32_t samples = 10'000;
    std::uint32_t selection = 100;
    double alpha = 0.001;
    std::vector<double> radii;  ///< empty means 0 to the largest that can be certified
    std::uint64_t seed = 0;
    double level = 0.95;
};

template <>
inline constexpr auto description<CertifyOptions> = describe<CertifyOptions>({
    field<&CertifyOptions::sigma>({.help = "Standard deviation of the noise, as a proportion of a "
                                           "pixel's range; train the model with the same noise",
                                   .min = 0.0001,
                                   .max = 10,
                                   .value = "SIGMA"}),
    field<&CertifyOptions::samples>(
        {.help = "Noisy copies of each image that bound the probability of its class",
         .min = 2,
         .max = 1'000'000,
         .value = "N"}),
    field<&CertifyOptions::selection>(
        {.help = "Other noisy copies of each image, which choose its class first",
         .min = 1,
         .max = 1'000'000,
         .value = "N"}),
    field<&CertifyOptions::alpha>(
        {.help = "Largest probability that the certificate of an image is wrong",
         .min = 0.000000001,
         .max = 0.5,
         .value = "ALPHA"}),
    field<&CertifyOptions::radii>({.help = "l2 radii at which to report certified accuracy",
                                   .min = 0,
                                   .empty = "steps of sigma / 4",
                                   .value = "R"}),
    field<&CertifyOptions::seed>(
        {.help = "Seed of the noise, which also depends on the image's id"}),
    field<&CertifyOptions::level>(
        {.help = "Confidence level of the intervals", .min = 0.5, .max = 0.9999}),
});

/// Throws usage for options out of range, a storage other than full_f32, and too few samples to
/// certify any image.
void check(const CertifyOptions& options);

/// The lower bound of a class's probability at confidence 1 - alpha, one-sided, after `hits` of
/// `samples` noisy copies had the class (Clopper and Pearson 1934). samples > 0, hits <= samples.
double class_probability_bound(std::uint64_t hits, std::uint64_t samples, double alpha);

/// sigma Phi^-1(p), where p is the bound above (Cohen et al. 2019, theorem 1 with p_B = 1 - p_A).
/// Nothing if p is at most 1/2: the procedure abstains.
std::optional<double> certified_radius(std::uint64_t hits, std::uint64_t samples, double alpha,
                                       double sigma);

/// Certified accuracy at one radius.
struct CertifiedPoint {
    double radius = 0;
    std::uint64_t certified = 0;  ///< images with the correct class and at least this radius
    Estimate accuracy;            ///< over the images with one label and a result (Wilson)
};

struct CertifiedModel {
    std::string model, dataset;
    std::filesystem::path selection_store;  ///< frequencies of the classes, which chose one
    std::filesystem::path store;            ///< frequencies of the classes in the other copies
    std::filesystem::path table;            ///< csv in `store`: a row per image, with its radius
    std::uint64_t images = 0;               ///< images with one label and a result
    std::uint64_t without = 0;              ///< other images
    std::uint64_t bad_rows = 0;             ///< images without a result, with the first one's error
    std::string first_error;
    Estimate abstained;                 ///< proportion of `images` without a certificate
    Estimate mean_radius;               ///< over `images`; 0 for those abstained or incorrect
    std::vector<CertifiedPoint> curve;  ///< by radius
    std::vector<std::string> notes;
};

/// Runs the procedure on each image for each model. The two stores, MODEL@smoothed-SIGMA-N and
/// MODEL@smoothed-SIGMA-N-selection, have the frequencies of the classes as probabilities, so that
/// score and compare show the smoothed classifier. The first one also has the table, with
/// `selection` and `alpha` in its name: other values keep it. A run resumes as predict() does. The
/// noise of an image depends on its id, the seed and the number of the copy. It does not depend on
/// threads, on the batch or on other images.
///
/// Cost: samples + selection passes per image; memory of two batches per thread. Scores that are
/// not finite count for no class. Throws as predict() and check() do.
std::vector<CertifiedModel> certify_models(std::span<const LoadedModel> models,
                                           const Dataset& dataset, const CertifyOptions& options,
                                           const ProgressCallback& callback = {});

/// JSON: assay.certify/1.
Report report_of(std::span<const CertifiedModel> results, const CertifyOptions& options);

}  // namespace assay
