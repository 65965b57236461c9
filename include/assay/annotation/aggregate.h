// From votes to label sets: how certain each label is, which annotators are reliable, and how well
// the annotators agree.
//
// Q questions, R annotators, K answers, L latent classes. "yes" is the last latent class. Every
// result is the same for any number of threads: sums are kept by fixed blocks of questions and
// merged in block order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/annotation/votes.h"
#include "assay/data/class_list.h"
#include "assay/data/dataset.h"
#include "assay/data/label_sets.h"
#include "assay/metric/measurement.h"

namespace assay {

struct DawidSkeneOptions {
    /// 2 for "fits" and "does not fit"; K for one latent class per answer, as in the paper of 1979.
    std::uint32_t latents = 2;
    double smoothing =
        0.01;  ///< added to every count, so that annotators with few answers have finite logarithms
    /// Stop when one step of EM changes no posterior and no parameter (a probability) by more.
    double tolerance = 1e-7;
    int max_passes = 500;
    /// Extrapolate (squarem.h) to reach the same maximum in fewer passes. Otherwise every pass is a
    /// step.
    bool accelerate = true;
    int threads = 0;  ///< 0 means one thread per core
};

/// The parameters that maximise the objective: the log-likelihood of the answers plus smoothing *
/// log of every parameter. The second term is a Dirichlet prior of smoothing + 1. Adding
/// `smoothing` to the counts maximises the sum.
struct DawidSkene {
    std::uint32_t latents = 2;
    std::vector<double> prior;  ///< L, sums to 1
    std::vector<double>
        confusion;  ///< R x L x K: P(annotator gives the answer | latent class), each row sums to 1
    std::vector<double> yes;  ///< Q: P(last latent class | answers)
    /// One value per kept pass, never decreasing (up to rounding). Failed extrapolations are not
    /// included.
    std::vector<double> objective;
    int passes = 0;             ///< number of passes over all answers
    double log_likelihood = 0;  ///< value for the final parameters, in nats
    bool converged = false;
    bool reordered = false;  ///< the latent classes came out in another order and were sorted
    std::vector<std::string> notes;  ///< reasons why the estimate may be unreliable, as sentences
};

/// Dawid and Skene, "Maximum likelihood estimation of observer error-rates using the EM algorithm",
/// Applied Statistics 28 (1979) 20-28. Starts from the vote proportion (a "maybe" counts half; with
/// L = K from the proportion of each answer). Then sorts the latent classes by the mean worth of
/// their answers, so that the last one is "yes". Questions without answers get the prior. If no
/// question has two answers, the likelihood cannot separate annotators from labels. Then the
/// posteriors are the vote proportions, with a note. Cost of a pass: two additions and two look-ups
/// per answer, one exponential per question. Throws usage for no question, L neither 2 nor K, bad
/// options.
DawidSkene dawid_skene(const Votes& votes, const DawidSkeneOptions& options = {});

/// Q proportions: the mean worth of each question's answers; 0 if there are none.
std::vector<double> vote_proportions(const Votes& votes);
/// Q weighted proportions: sum of weight * worth by sum of weights, with R weights >= 0. If all
/// weights of a question are 0, uses the plain proportion (`fallbacks` counts these).
std::vector<double> weighted_proportions(const Votes& votes, std::span<const double> weights,
                                         std::uint64_t* fallbacks = nullptr);
/// R weights: max(0, (a - e) / (1 - e)), a kappa of the annotator against other annotators. The
/// number a is the proportion of the other answers to an annotator's questions that equal the
/// annotator's. The number e is what chance would give: the sum of the squared proportions of the
/// answers over all votes. 0 for an annotator who cannot be compared with anybody, and 1 if all
/// votes are the same answer.
std::vector<double> agreement_weights(const Votes& votes);

struct AnnotatorQuality {
    std::vector<std::uint64_t> given;  ///< K: the count of each answer
    std::uint64_t answers = 0;
    std::vector<double> confusion;  ///< L x K, with the smoothing in the options
    /// The proportion of the answers that are correct under the posteriors. An answer of worth w to
    /// a question with posterior y is correct with w y + (1 - w)(1 - y), so a "maybe" is half
    /// correct. Its interval is Wilson's (wilson_of_mean), given the posteriors. For which-class
    /// votes, only answers that name a class count. The same holds for `agreement`.
    Measurement accuracy;
    /// The proportion of equal answers by other annotators to the same questions. The interval
    /// comes from the spread over questions (a linearised ratio).
    Measurement agreement;
};
/// One entry per annotator, from any posteriors (or proportions) of the questions. Assumes two
/// latent classes, unless `fitted` is given, whose confusion matrices are then used.
std::vector<AnnotatorQuality> annotator_quality(const Votes& votes, std::span<const double> yes,
                                                double smoothing = 0.01,
                                                const DawidSkene* fitted = nullptr,
                                                double level = 0.95);

struct AnswerAgreement {
    /// Fleiss (1971): requires the same number of answers for every question (the annotators may
    /// differ). If the numbers differ, uses questions with at least two answers, each with its
    /// proportion of agreeing pairs. Then computes the chance agreement over their answers. The
    /// definition is "fleiss_kappa.equal" for equal numbers, and "fleiss_kappa.unequal" if they
    /// differ.
    Measurement fleiss_kappa;
    /// Krippendorff (2004), nominal: answers may be missing; questions with one answer are
    /// excluded.
    Measurement krippendorff_alpha;
    std::uint64_t pairless = 0;  ///< questions with fewer than two answers, which both exclude
};
/// Both coefficients, with an interval from the jackknife over questions.
AnswerAgreement answer_agreement(const Votes& votes, double level = 0.95);

/// The rule for keeping a label.
struct KeepRule {
    double threshold = 0.8;
    bool above = false;  ///< true: value > threshold (a majority is more than half); false: value
                         ///< >= threshold
    /// For which-class votes: 1 for the questions whose class has more votes than any other class
    /// of the image. An empty list allows every question.
    std::vector<char> most{};
    bool keeps(double value) const { return above ? value > threshold : value >= threshold; }
    bool keeps(std::size_t question, double value) const {
        return (most.empty() || most[question] != 0) && keeps(value);
    }
};

/// KeepRule::most for which-class votes, by the proportion or posterior of each question. `ties`
/// counts images in which several classes have the highest value (up to `rounding`), so that none
/// of them is kept.
std::vector<char> most_voted(const Votes& votes, std::span<const double> yes, std::uint64_t& ties,
                             double rounding = 1e-12);
/// For which-class votes, the rate of equal choices by annotators. One question per image.
AnswerAgreement class_agreement(const Votes& votes, double level = 0.95);

struct BuiltLabelSets {
    LabelSets sets;               ///< one set per image of the data set
    std::vector<char> annotated;  ///< 1 where a question was asked about the image
    std::uint64_t kept = 0;       ///< (image, label) pairs kept
    std::uint64_t emptied = 0;    ///< annotated images of which no label is kept
    /// not annotated, so the original labels are used
    std::uint64_t original = 0;
    std::uint64_t left_out = 0;                   ///< images without answers or an original label
    std::vector<std::int64_t> item_of_question;   ///< index of the image in the data set, or -1
    std::vector<std::int32_t> class_of_question;  ///< -1 if the label is not one of the classes
    VoteProblems problems;                        ///< images and labels that are unknown
};
/// The items and classes that votes refer to, or -1 if none or ambiguous. Used for
/// VotesOptions::meanings, so that "cat/1.png" and "1.png", or "cat" and "0", are the same
/// question.
VoteMeanings meanings_among(const Dataset& dataset, const ClassList& classes, const Votes& texts);
/// The label sets of `dataset`'s items over `classes`. Questions with the same meaning must have
/// been pooled. Images are found by id, else by path, else by unique file name. `original` has one
/// set per item, for the items that nobody annotated; with nullptr these are excluded.
BuiltLabelSets build_label_sets(const Votes& votes, std::span<const double> yes,
                                const KeepRule& rule, const Dataset& dataset,
                                const ClassList& classes, const LabelSets* original);

/// The images of the votes, for use without a data set. If every image is in ImageNet's validation
/// set: all 50,000 in the order of their numbers. Otherwise the annotated images. An image that
/// occurs under a path and under the end of this path is listed once.
Dataset dataset_of_votes(const Votes& votes);
/// The classes for use without a class list. If every label is a number below a million, these are
/// the numbers 0..largest (ImageNet's 1000 for its validation images). Otherwise they are the
/// labels in byte order.
ClassList classes_of_votes(const Votes& votes);

enum class LabelSetFormat {
    list,    ///< JSON list of lists, in the order of the items, as real.json
    object,  ///< JSON object id -> list
    csv  ///< columns path, labels (separated by blanks, or `;` behind each); rows with no label: an
         ///< empty cell
};
/// Reads "list", "object" or "csv". Throws usage.
LabelSetFormat label_set_format_named(std::string_view name);
/// A text that read_label_sets can read. Labels are numbers if `classes` are ImageNet's or
/// numbered, else ids. Throws bad_input for ids that the format cannot represent. In csv, those are
/// "-1" and ids with `;`, `|` or a line end. In JSON, those are ids that are not UTF-8.
std::string label_sets_text(const LabelSets& sets, const Dataset& dataset, const ClassList& classes,
                            LabelSetFormat format);

}  // namespace assay
