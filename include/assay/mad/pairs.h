// Counts people's judgments of the images on which two classifiers disagree. Source: Wang et al.,
// "I am going MAD: maximum discrepancy competition for comparing classifiers adaptively", ICLR
// 2020.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "assay/study/answer.h"

namespace assay::mad {

using study::Answer;

/// The outcome of several answers to one question.
struct Settled {
    bool yes = false;  ///< always false if it is unclear
    /// At least four in five annotators cannot say. The image is not informative, so the next one
    /// replaces it.
    bool unclear = false;
    std::uint32_t votes = 0;
};
/// The majority of the answers yes and no. A tie counts as no, and so does a lack of such answers:
/// a doubt counts against the classifier.
Settled settle(std::span<const Answer> answers);
/// True if no further answers, up to `wanted` in total, can change the result of settle().
bool is_settled(std::span<const Answer> answers, std::uint32_t wanted);

/// The outcome for an image on which two classifiers predict different labels.
enum class Case : std::uint8_t {
    both,      ///< I: both labels are correct
    one,       ///< II: one of them is correct
    neither,   ///< III
    replaced,  ///< annotators cannot say
};
/// Returns "I", "II", "III" or "replaced".
std::string_view name_of(Case);
Case case_of(const Settled& first, const Settled& second);

/// The counts for two classifiers on the images chosen for them.
struct PairCounts {
    std::uint32_t first = 0, second = 0;  ///< indices of the classifiers, first < second
    std::uint64_t both = 0, only_first = 0, only_second = 0, neither = 0;
    std::uint64_t replaced = 0;  ///< images that the other counts exclude

    std::uint64_t n() const { return both + only_first + only_second + neither; }
    std::uint64_t first_correct() const { return both + only_first; }
    std::uint64_t second_correct() const { return both + only_second; }
    bool operator==(const PairCounts&) const = default;
};
void count(PairCounts& pair, const Settled& first, const Settled& second);

}  // namespace assay::mad
