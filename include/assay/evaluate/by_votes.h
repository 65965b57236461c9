// ReaL and ASMA against the true label sets, as far as the votes of annotators determine them.
//
// Every other metric treats label sets that were derived from votes at a threshold as true. With
// few votes they are not: a missed label turns a hit into an error, and an added label moves the
// image to another subgroup. Here the votes themselves are the input. The true set of an image is
// the one that its annotators would agree on in the end. The interval includes the uncertainty of
// the votes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/metric/measurement.h"
#include "assay/result_type.h"

namespace assay {

/// One value for one model.
struct ValueByVotes {
    /// key.metric is `real.votes` or `asma.votes`. The interval is Wilson's, with the number of
    /// images that gives the variance of the value. This variance includes the images, the votes
    /// and the annotators' rates. The value is undefined if a subgroup is expected to have fewer
    /// than ten images.
    Measurement value;
    /// The increase of the value compared with plain posteriors, which use no sets and no models. A
    /// tenth of this difference is included in the interval, unless experts judged images.
    std::optional<double> moved;
    /// The metric on the sets that `labels aggregate` makes by default. Its interval describes the
    /// result of these annotators, votes and threshold, and not the true sets.
    Estimate thresholded;
};
ResultType result_type(ResultOf<ValueByVotes>);

/// The values for one data set, and the data behind them.
struct ByVotes {
    std::string dataset;
    std::uint64_t images = 0;     ///< images with scores from all models
    std::uint64_t asked = 0;      ///< images among these with a question
    std::uint64_t given = 0;      ///< images without questions: their given labels are used
                                  ///< as true
    std::uint64_t questions = 0;  ///< pairs of an image and a class that have a vote
    std::uint64_t votes = 0;
    std::uint64_t annotators = 0;
    double unsure = 0;          ///< proportion of the questions with a posterior of .05 to .95
    std::uint64_t experts = 0;  ///< images with sets from experts
    double sensitivity = 0, specificity = 0;  ///< means over the votes, as fitted
    std::vector<ValueByVotes> values;         ///< per model: ReaL, then ASMA
    std::vector<std::string> notes;           ///< notes on how the votes were used
    std::vector<std::string> warnings;
};
ResultType result_type(ResultOf<ByVotes>);

}  // namespace assay
