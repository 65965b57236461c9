// Makes label sets from files of votes: everything that `assay labels aggregate` does, including
// its defaults.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/annotation/aggregate.h"
#include "assay/annotation/comparison.h"
#include "assay/annotation/which_class.h"
#include "assay/report.h"
#include "assay/result_type.h"

namespace assay {

struct AggregateOptions {
    std::filesystem::path votes;  ///< a table of votes for read_votes()
    /// dawid-skene, majority or weighted. For which-class votes, dawid-skene is fit_which_class.
    std::string method = "dawid-skene";
    /// Labels with at least this posterior or proportion are kept. If unset, dawid-skene keeps
    /// those from 0.8 on, and the other methods those above 0.5. Which-class votes then keep the
    /// likeliest class, however likely it is.
    std::optional<double> threshold;
    std::vector<std::string> answers = {"no", "maybe", "yes"};  ///< see AnswerScale
    std::string repeats = "first";                              ///< first, last, all, error
    std::filesystem::path known_annotators;  ///< csv, column annotator; "" accepts all annotators
    /// For `weighted`: csv with the columns annotator and weight; "" uses agreement_weights.
    std::filesystem::path weights;
    DawidSkeneOptions em;
    /// The items, as open_labelled takes them; "" uses dataset_of_votes.
    std::filesystem::path data;
    std::string classes;  ///< class list file, or "imagenet"; "" uses the data's, else the votes'
    /// Label sets of the images that nobody annotated; "" uses the labels of `data`.
    std::filesystem::path original;
    /// The original labels (from `original`, else from `data`) vote as one more annotator on
    /// questions about these classes: "0-397", "1,2,9", or "all"; "" disables it.
    std::string original_votes;
    /// The class hierarchy for hierarchy_named(): a label also makes the classes above it
    /// valid; "" only uses the annotators' labels.
    std::string hierarchy;
    /// The reference for comparison: label sets, or votes of experts (npz, or csv with a column
    /// annotator), whose majority decides; "" compares nothing.
    std::filesystem::path against;
    double level = 0.95;           ///< confidence level of the intervals
    bool list_annotators = false;  ///< report the results of each annotator
};

/// Numbers of images by their number of labels, as in the papers' tables: "1" to "5", ">5", "none".
struct LabelsPerImage {
    std::string_view labels;
    std::uint64_t images = 0;
};
/// The seven rows, in that order.
std::vector<LabelsPerImage> labels_per_image(const LabelSets& sets);

struct Aggregation {
    AggregateOptions options;
    Votes votes;
    Dataset dataset;
    ClassList classes;
    KeepRule rule;
    std::vector<double> yes;             ///< Q posteriors or proportions, one per question
    std::optional<DawidSkene> fitted;    ///< for the method dawid-skene on yes/no votes
    std::optional<WhichClassFit> which;  ///< for the method dawid-skene on which-class votes
    std::vector<double> weights;         ///< R weights for the method weighted; otherwise empty
    std::uint64_t unweighted = 0;        ///< questions whose annotators all have weight 0
    BuiltLabelSets built;
    std::vector<LabelsPerImage> histogram;     ///< histogram of built.sets
    AnswerAgreement agreement;                 ///< among annotators, without the original labels
    std::vector<AnnotatorQuality> annotators;  ///< R
    std::optional<LabelSetComparison> comparison;
    std::optional<ThresholdCurve> curve;  ///< if there is a reference
    /// For which-class votes: images in which several classes have the highest posterior or
    /// proportion, so that none is kept.
    std::uint64_t ties = 0;
    /// The other images in which several classes have the most votes.
    std::uint64_t vote_ties = 0;
    std::uint64_t implied_labels = 0;  ///< with a hierarchy: labels that follow from others
    std::uint64_t contradictions = 0;  ///< implied labels that annotators rejected
    std::uint64_t original_votes = 0;  ///< the number of `votes` that are original labels
    std::vector<std::string> assumed;  ///< assumptions about the data set, as sentences
};

/// Reads and combines votes, decides labels and compares them. Throws what aggregate.h's functions
/// throw. Also throws for an unknown method, weights with another method than weighted, an
/// annotator without a weight, or no known annotator. Cost: that of read_votes and dawid_skene; 1.1
/// s for the 924,810 votes of ReaL.
Aggregation aggregate_votes(const AggregateOptions& options);

/// Schema "assay.label_votes/2", see docs/results.md.
ResultType result_type(ResultOf<Aggregation>);
/// CSV has named values, or with `list_annotators` a row per annotator (annotator_records). Partial
/// if some votes were not used.
Report report_of(const Aggregation& aggregation);

/// A row per annotator, in the order of Votes::annotators: answers, accuracy, agreement, confusion.
Table annotator_records(const Aggregation& aggregation);
/// CSV, a row per question: item, label, n_<answer> ..., posterior (or proportion), kept (0 or 1).
std::string posterior_csv(const Aggregation& aggregation);

/// CSV with a row per distinct threshold, the highest first: threshold, kept, precision, recall,
/// agreement, same_set, each of the four with its interval. Needs a comparison.
std::string curve_csv(const Aggregation& aggregation);

/// The format `name` as in label_set_format_named. "" means csv if the file has that extension,
/// else object.
LabelSetFormat label_set_format_for(const std::filesystem::path& file, std::string_view name);

}  // namespace assay
