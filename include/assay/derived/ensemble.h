// The mean of several stores of one data set as a new store: of several models, or of one model on
// changed images (test-time augmentation).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/describe.h"
#include "assay/estimate.h"
#include "assay/progress.h"
#include "assay/report.h"

namespace assay {

enum class MeanOf { probabilities, logits };
constexpr auto words_of(MeanOf) {
    return std::array<std::pair<MeanOf, std::string_view>, 2>{
        {{MeanOf::probabilities, "probabilities"}, {MeanOf::logits, "logits"}}};
}
/// Returns "probabilities" or "logits".
std::string_view name_of(MeanOf);

struct EnsembleOptions {
    std::vector<std::filesystem::path> stores;
    std::string name;
    MeanOf of = MeanOf::probabilities;
    double level = 0.95;
    int threads = 0;
    std::string command;  ///< as typed, for the record
};
template <>
inline constexpr auto description<EnsembleOptions> = describe<EnsembleOptions>({
    field<&EnsembleOptions::name>(
        {.help = "Name of the ensemble, which is stored as a model next to its members",
         .empty = "ensemble",
         .value = "NAME"}),
    field<&EnsembleOptions::of>({.help = "What is averaged"}),
    field<&EnsembleOptions::level>(
        {.help = "Confidence level of the intervals", .min = 0.5, .max = 0.9999}),
    field<&EnsembleOptions::threads>({.help = "Threads; results do not depend on their number",
                                      .min = 0,
                                      .max = 4096,
                                      .empty = "one per core",
                                      .also = "-j"}),
});

struct EnsembleMember {
    std::filesystem::path store;
    std::string model;
    Estimate top1;
};
struct EnsembleStore {
    std::filesystem::path store;
    std::string model, dataset;
    MeanOf of = MeanOf::probabilities;
    std::uint64_t items = 0, without_scores = 0;
    std::vector<EnsembleMember> members;
    Estimate top1;
    /// Mean proportion of the pairs of members that predict the same class for an item.
    Estimate agreement;
    /// Mean over the items of the entropy of the members' mean probabilities minus the mean of
    /// their entropies, in nats. It is 0 if all members give the same probabilities. Sources:
    /// Lakshminarayanan et al. 2017; Gal et al. 2017, BALD.
    Estimate mutual_information;
    std::vector<std::string> warnings;
};

/// Writes the mean next to the first store. All stores must have the same items in the same order,
/// with the same classes. For probabilities, each row is the softmax if scores are logits. For
/// logits, stores of probabilities contribute their logarithms. An item without scores in one of
/// the stores has none in the mean. The bits are the same for any number of threads. Memory: some
/// bytes per item, and each store's ids and labels. Throws usage and bad_input: fewer than two
/// stores, different items or classes, stores without every class's score.
EnsembleStore make_ensemble(const EnsembleOptions& options, const ProgressCallback& progress = {});

/// `assay.ensemble/1`. The csv has a row for the ensemble and for each member.
Report report_of(const EnsembleStore& result);

}  // namespace assay
