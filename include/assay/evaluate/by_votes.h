// ReaL and ASMA against the true label sets, as far as the votes of annotators know them.
//
// Label sets that were cut from votes at a threshold are taken as true by every other metric. With
// few votes they are not: a missed label turns a hit into an error, and an added one puts the image
// into another subgroup. Here the votes themselves are the input. The true set of an image is what
// its annotators would settle on, and the interval holds how far the votes leave it open.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/metric/measurement.h"
#include "assay/result_type.h"

namespace assay {

/// One value of one model.
struct ValueByVotes {
    /// key.metric `real.votes` or `asma.votes`. Interval: Wilson's with as many images as have the
    /// variance of the value, which holds images, votes and the annotators' rates. Undefined where
    /// a subgroup is expected to have fewer than ten images.
    Measurement value;
    /// How much higher it is than with plain posteriors, which know no sets and no models. A tenth
    /// of it is in the interval, unless experts judged images.
    std::optional<double> moved;
    /// The metric on the sets that `labels aggregate` makes by default. Its interval is about what
    /// these annotators, votes and threshold give, and not about the true sets.
    Estimate thresholded;
};
ResultType result_type(ResultOf<ValueByVotes>);

/// The values of one data set, and what they rest on.
struct ByVotes {
    std::string dataset;
    std::uint64_t images = 0;     ///< with scores of all models
    std::uint64_t asked = 0;      ///< of these: with a question
    std::uint64_t given = 0;      ///< nobody was asked: their given labels count as true
    std::uint64_t questions = 0;  ///< pairs of an image and a class, with a vote
    std::uint64_t votes = 0;
    std::uint64_t annotators = 0;
    double unsure = 0;          ///< proportion of the questions with a posterior of .05 to .95
    std::uint64_t experts = 0;  ///< images whose sets experts gave
    double sensitivity = 0, specificity = 0;  ///< means over the votes, as fitted
    std::vector<ValueByVotes> values;         ///< by model: ReaL, then ASMA
    std::vector<std::string> notes;           ///< what was taken for what
    std::vector<std::string> warnings;
};
ResultType result_type(ResultOf<ByVotes>);

}  // namespace assay
