// From votes to label sets: how sure a label is of its image, who can be trusted, and how far the
// annotators agree.
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
    /// 2: the label fits or it does not. K: one latent class per answer, as in the paper of 1979.
    std::uint32_t latents = 2;
    double smoothing =
        0.01;  ///< added to every count: annotators with few answers keep finite logarithms
    /// Stop when one step of EM moves no posterior and no parameter (each a probability) by more.
    double tolerance = 1e-7;
    int max_passes = 500;
    /// Extrapolate (squarem.h): the same maximum in fewer passes. Without it every pass is a step.
    bool accelerate = true;
    int threads = 0;  ///< 0: one per core
};

/// Maximum of the objective: the log-likelihood of the answers, and smoothing * log of every
/// parameter (a Dirichlet prior of smoothing + 1, which is what adding `smoothing` to the counts
/// maximises).
struct DawidSkene {
    std::uint32_t latents = 2;
    std::vector<double> prior;  ///< L, sums to 1
    std::vector<double>
        confusion;  ///< R x L x K: P(annotator gives the answer | latent class), each row sums to 1
    std::vector<double> yes;  ///< Q: P(last latent class | answers)
    /// One per pass that was kept, never falling (up to rounding). Extrapolations that led downhill
    /// are not in it.
    std::vector<double> objective;
    int passes = 0;             ///< all of them, each over every answer
    double log_likelihood = 0;  ///< of the last parameters, in nats
    bool converged = false;
    bool reordered = false;  ///< the latent classes came out in another order and were sorted
    std::vector<std::string>
        notes;  ///< why the estimate deserves no trust: one answer per question, ...
};

/// Dawid and Skene, "Maximum likelihood estimation of observer error-rates using the EM algorithm",
/// Applied Statistics 28 (1979) 20-28. Starts from the vote proportion (a "maybe" is worth half;
/// with L = K from the proportion of each answer). Afterwards the latent classes are put in the
/// order of the mean worth of the answers given to them, so that the last one is "yes" whatever EM
/// made of them. Questions without answers get the prior. Where no question has two answers the
/// likelihood cannot tell annotators from labels: the posteriors are then the vote proportions, and
/// a note says so. Cost of a pass: two additions and two look-ups per answer, one exponential per
/// question. Throws usage: no question, L neither 2 nor K, bad options.
DawidSkene dawid_skene(const Votes& votes, const DawidSkeneOptions& options = {});

/// Q proportions: mean worth of the answers of each question; 0 where there is none.
std::vector<double> vote_proportions(const Votes& votes);
/// Q weighted proportions: sum of weight * worth by sum of weights, by R weights >= 0. Where all
/// weights of a question are 0 the plain proportion stands in (`fallbacks` counts them).
std::vector<double> weighted_proportions(const Votes& votes, std::span<const double> weights,
                                         std::uint64_t* fallbacks = nullptr);
/// R weights: max(0, (a - e) / (1 - e)), where a is the proportion of the other answers to an
/// annotator's questions that equal the annotator's, and e what chance would give (sum of the
/// squared proportions of the answers over all votes): a kappa of the annotator against the others.
/// 0 for an annotator whom nobody can be compared with, and when all votes are the same answer, 1.
std::vector<double> agreement_weights(const Votes& votes);

struct AnnotatorQuality {
    std::vector<std::uint64_t> given;  ///< K: how often each answer
    std::uint64_t answers = 0;
    std::vector<double> confusion;  ///< L x K, with the smoothing of the options
    /// Proportion of the answers that are correct under the posteriors: an answer of worth w to a
    /// question with posterior y is correct with w y + (1 - w)(1 - y), so that a "maybe" is half
    /// correct. Wilson's interval of that mean (wilson_of_mean), given the posteriors.
    /// Of which-class votes only the answers that name a class count, here and below.
    Measurement accuracy;
    /// Proportion of the other annotators' answers to the same questions that are the same;
    /// interval from the spread over questions (a ratio, linearised).
    Measurement agreement;
};
/// One for each annotator, from any posteriors (or proportions) of the questions. Two latent
/// classes unless `fitted` is given, whose confusion matrices are then taken.
std::vector<AnnotatorQuality> annotator_quality(const Votes& votes, std::span<const double> yes,
                                                double smoothing = 0.01,
                                                const DawidSkene* fitted = nullptr,
                                                double level = 0.95);

struct AnswerAgreement {
    /// Fleiss (1971): needs the same number of answers for every question (the annotators may
    /// differ). Where the numbers differ, questions with two answers or more enter, each with the
    /// proportion of its pairs that agree, and the chance agreement is taken over their answers:
    /// definition "fleiss_kappa.unequal" instead of "fleiss_kappa.equal".
    Measurement fleiss_kappa;
    /// Krippendorff (2004), nominal: missing answers are fine; questions with one answer do not
    /// enter.
    Measurement krippendorff_alpha;
    std::uint64_t pairless = 0;  ///< questions with fewer than two answers: not in either
};
/// Both with an interval from the jackknife over questions.
AnswerAgreement answer_agreement(const Votes& votes, double level = 0.95);

/// When a label is kept.
struct KeepRule {
    double threshold = 0.8;
    bool above = false;  ///< true: value > threshold (a majority is more than half); false: value
                         ///< >= threshold
    /// Which-class votes: 1 for the questions whose class has more votes than any other class of
    /// the image. Empty: every question may be kept.
    std::vector<char> most{};
    bool keeps(double value) const { return above ? value > threshold : value >= threshold; }
    bool keeps(std::size_t question, double value) const {
        return (most.empty() || most[question] != 0) && keeps(value);
    }
};

/// Of which-class votes, by the proportion or posterior of each question: KeepRule::most. `ties`:
/// images where several classes have the highest (or less by `rounding` at most), so that none of
/// them is kept.
std::vector<char> most_voted(const Votes& votes, std::span<const double> yes, std::uint64_t& ties,
                             double rounding = 1e-12);
/// Of which-class votes: how far annotators choose the same class. One question per image.
AnswerAgreement class_agreement(const Votes& votes, double level = 0.95);

struct BuiltLabelSets {
    LabelSets sets;                               ///< one per image of the data set
    std::vector<char> annotated;                  ///< 1 where a question was asked about the image
    std::uint64_t kept = 0;                       ///< (image, label) pairs kept
    std::uint64_t emptied = 0;                    ///< annotated, no label kept
    std::uint64_t original = 0;                   ///< not annotated: the original labels stand in
    std::uint64_t left_out = 0;                   ///< not annotated, and no original label known
    std::vector<std::int64_t> item_of_question;   ///< index into the data set, -1: not there
    std::vector<std::int32_t> class_of_question;  ///< -1: not one of the classes
    VoteProblems problems;                        ///< images and labels that are not there
};
/// What votes are about among the items and classes, or -1 where that is nothing or not clear: for
/// VotesOptions::meanings, so that "cat/1.png" and "1.png", "cat" and "0" are one question.
VoteMeanings meanings_among(const Dataset& dataset, const ClassList& classes, const Votes& texts);
/// The label sets of `dataset`'s items over `classes`; questions of one meaning must have been
/// pooled. Images are found by id, else by path, else by file name where it is unique. `original`:
/// one set per item, for those that nobody annotated; nullptr: they are left out.
BuiltLabelSets build_label_sets(const Votes& votes, std::span<const double> yes,
                                const KeepRule& rule, const Dataset& dataset,
                                const ClassList& classes, const LabelSets* original);

/// The images of the votes, for when no data set is given: all 50,000 of ImageNet's validation set
/// in the order of their numbers when every image is one of them, else those that were annotated;
/// an image that is there by an address or path and by the end of it is there once.
Dataset dataset_of_votes(const Votes& votes);
/// Classes for when none are given: numbers 0..largest (ImageNet's 1000 for its validation images)
/// when every label is a number below a million, else the labels themselves in byte order.
ClassList classes_of_votes(const Votes& votes);

enum class LabelSetFormat {
    list,    ///< JSON list of lists, in the order of the items, as real.json
    object,  ///< JSON object id -> list
    csv  ///< columns path, labels (separated by blanks, or `;` behind each); rows with no label: an
         ///< empty cell
};
/// "list", "object", "csv". Throws usage.
LabelSetFormat label_set_format_named(std::string_view name);
/// What read_label_sets reads back. Labels are numbers where `classes` are ImageNet's or numbered,
/// ids elsewhere. Throws bad_input on ids that the format cannot hold: in csv those with `;`, `|`
/// or a line end and "-1", in JSON those that are not UTF-8.
std::string label_sets_text(const LabelSets& sets, const Dataset& dataset, const ClassList& classes,
                            LabelSetFormat format);

}  // namespace assay
