// Finds labels that are probably wrong from the stored scores of one or several classifiers.
//
// Each classifier is scaled by a temperature that is fitted to the given labels. The fit assumes a
// proportion of uniform errors among them, so that wrong labels do not make the classifier look
// unsure. Its probabilities are mixed with 2 % of chance, so that no classifier decides alone. The
// log-probabilities are averaged, with weights by how well each one predicts the labels. A
// classifier that repeats the given labels wherever all others surely agree on another class has
// learned them, and does not vote.
//
// The score of a label is the mean over the classifiers of ln((p + own) / (q + other)). Here p and
// q are 98 % of the probabilities of the label and of the likeliest other class. If few labels look
// drawn from all classes, `own` and `other` are 1 %. A label that a classifier holds for impossible
// is then more often an image that it misjudges. If many labels look so, both are 1e-5 (2 % of
// chance for fewer than ten classes, or if that is lower). If many are even among the less likely
// half of at least ten classes, `own` is 1e-9 and `other` is 3, so that the probability of the
// label alone counts.
//
// Scores alone do not say how probable it is that a label is wrong. Answers of people about some of
// the suspect labels do, for the other ones with similar scores.
//
// Which score was tried on which planted errors: docs/suspect-labels.md, bench/audit_worlds.py.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "assay/describe.h"
#include "assay/estimate.h"
#include "assay/progress.h"
#include "assay/report.h"

namespace assay::audit {

struct AuditOptions {
    /// RUNS folders, data sets below them, or stores; all of one data set.
    std::vector<std::filesystem::path> stores;
    std::uint64_t top = 20;
    bool duplicates = false;
    bool pixels = false;
    std::filesystem::path images;
    std::filesystem::path questions;
    std::uint64_t sample = 0;
    std::vector<std::filesystem::path> confirm;
    std::vector<std::filesystem::path> labels;
    std::filesystem::path save_labels;
    double level = 0.95;
    int threads = 0;
};
}  // namespace assay::audit

namespace assay {
template <>
inline constexpr auto description<audit::AuditOptions> = describe<audit::AuditOptions>({
    field<&audit::AuditOptions::top>(
        {.help = "List this many suspect labels, and as many ambiguous images and duplicates",
         .min = 1,
         .max = 1e9,
         .value = "N"}),
    field<&audit::AuditOptions::duplicates>(
        {.help = "List duplicates first (with --csv: instead of the suspect labels)"}),
    field<&audit::AuditOptions::pixels>(
        {.help = "Also decode the images, and list those with equal pixels and those that look "
                 "alike"}),
    field<&audit::AuditOptions::images>(
        {.help = "Folder of the images for --pixels, if they have moved", .value = "FOLDER"}),
    field<&audit::AuditOptions::questions>(
        {.help = "Write questions about the listed labels to this file, for `assay serve "
                 "--questions FILE --task labels`",
         .value = "FILE"}),
    field<&audit::AuditOptions::sample>(
        {.help = "Also ask about this many of the suspect labels that are not listed, evenly "
                 "spread, so that --confirm can estimate how many labels are wrong",
         .max = 1e9,
         .value = "N"}),
    field<&audit::AuditOptions::confirm>(
        {.help = "Annotators' answers to these questions: votes in any layout that `assay labels "
                 "aggregate` reads",
         .value = "VOTES"}),
    field<&audit::AuditOptions::labels>(
        {.help = "Correct labels of some images, as `assay score --labels` reads them",
         .value = "LABELS"}),
    field<&audit::AuditOptions::save_labels>(
        {.help = "Write the labels of all images with the confirmed corrections to this csv file",
         .value = "FILE"}),
    field<&audit::AuditOptions::level>({.help = "Of the intervals", .min = 0.5, .max = 0.9999}),
    field<&audit::AuditOptions::threads>({.help = "Threads; they change no result",
                                          .min = 0,
                                          .max = 4096,
                                          .empty = "one per core",
                                          .also = "-j"}),
});
}  // namespace assay

namespace assay::audit {

/// A label that the classifiers doubt: another class is likelier.
struct SuspectLabel {
    std::string item;
    std::string given, suggested;            ///< class ids
    std::string given_name, suggested_name;  ///< class names, or the ids of classes without names
    double score = 0;                        ///< the lowest is the most suspicious
    /// That the label is wrong, by people's answers about other labels.
    Estimate wrong_probability;
    double given_probability = 0, suggested_probability = 0;  ///< mean over all voting classifiers
    std::uint32_t predict_suggested = 0, voting = 0;          ///< classifiers
    std::string answer;  ///< "", "correct", "wrong", "cannot be judged"
};
/// An image that has two likely classes.
struct AmbiguousImage {
    std::string item, given, first, second;
    double first_probability = 0, second_probability = 0;
};
/// What shows that images are equal or look alike. In `same pixels`, and without pixels in
/// `same scores`, the file of some image is not known. In `same file or scores`, some share one,
/// some the other.
inline constexpr std::string_view same_file = "same file",
                                  same_pixels_other_file = "same pixels, other file",
                                  same_pixels = "same pixels",
                                  same_scores_other_file = "same scores, other file",
                                  same_scores_other_pixels = "same scores, other pixels",
                                  same_scores = "same scores",
                                  same_file_or_scores = "same file or scores",
                                  same_file_pixels_or_scores = "same file, pixels or scores",
                                  look_alike = "look alike";
struct DuplicateImage {
    std::string item, label;  ///< ids of the label's classes
};
/// An image that is in the data set several times, or images that look alike.
struct DuplicateGroup {
    std::uint64_t images = 0;
    bool labels_differ = false;
    std::string evidence;  ///< same_file, ...
    int bits = 0;          ///< of the perceptual hash that differ at most from the first image's
    std::vector<DuplicateImage> members;  ///< the first 20, in the order of the data set
};
struct AuditedModel {
    std::string model;
    double temperature = 1;
    double loss = 0;    ///< mean -ln p of the likeliest three quarters of the labels
    double weight = 0;  ///< 0 means that it does not vote
    /// `opposed` counts images where each other classifier gives the same wrong class at
    /// least 90 %. `repeated` counts the opposed images on which this classifier predicts the
    /// label.
    std::uint64_t opposed = 0, repeated = 0;
    /// The most opposed images to expect from these probabilities without wrong labels.
    double expected = 0;
};
/// The change of one model's accuracy by the confirmed corrections.
struct CorrectedModel {
    std::string model;
    Estimate before, after, change;
    std::uint32_t rank_before = 0, rank_after = 0;
};
struct LabelAudit {
    std::string dataset;
    std::filesystem::path images_folder;
    std::uint64_t images = 0;      ///< images that were audited
    std::uint64_t unlabelled = 0;  ///< images without a label, or with several
    std::uint64_t left_out = 0;    ///< images that lack scores of some classifier
    std::uint64_t suspects = 0;    ///< labels for which another class is likelier
    std::uint64_t ambiguous = 0;   ///< images with two classes of at least 25 %
    std::uint64_t duplicate_groups = 0, duplicate_images = 0;
    std::uint64_t contradicting_groups = 0;  ///< of duplicate_groups: with different labels
    std::uint64_t decoded = 0;               ///< images whose pixels were compared
    /// Images that look alike but are not equal.
    std::uint64_t alike_groups = 0, alike_images = 0, contradicting_alike_groups = 0;
    /// The wrong ones among the suspect labels. Undefined without enough answers of people about
    /// labels of all scores.
    Estimate wrong_labels;
    std::uint64_t sampled = 0;  ///< labels in the questions that are not listed
    std::uint64_t checked = 0, confirmed_wrong = 0, corrected = 0;
    std::uint64_t without_class = 0;    ///< confirmed wrong labels without a confirmed class
    std::uint64_t unjudged = 0;         ///< images that nobody can judge, or with as many yes as no
    std::uint64_t several_classes = 0;  ///< checked images with several confirmed classes
    std::uint64_t half_answered = 0;    ///< images whose answers are not about the given label
    std::uint64_t answers_ignored = 0;
    std::vector<AuditedModel> models;
    std::vector<SuspectLabel> listed;
    std::vector<AmbiguousImage> listed_ambiguous;
    std::vector<DuplicateGroup> listed_duplicates;  ///< those with different labels first
    std::vector<std::string> duplicate_notes;       ///< what was not compared
    std::vector<CorrectedModel> corrected_models;
    std::filesystem::path questions_file, labels_file;
    std::vector<std::string> notes, warnings;
};

/// Cost: about forty passes over the rows of each store, one over all of them together. Memory:
/// about 160 bytes an image (200 with pixels), 8 for each classifier of it, and the scores of some
/// rows. The same bits for any threads. Throws usage if no stores are named or an option cannot
/// act. Throws bad_input if the stores differ in images, classes or labels, are incomplete, or lack
/// the scores of some classes. Throws bad_input for no labels, for one class, for no image that
/// every store has scores of, and for answers that cannot be read. Throws io if files cannot be
/// written.
LabelAudit audit_labels(const AuditOptions& options, const ProgressCallback& progress = {});
/// `assay.audit/1`. csv: a row for each listed suspect; with `duplicates`, a row for each image of
/// a listed duplicate.
Report report_of(const LabelAudit& audit, bool duplicates = false);

}  // namespace assay::audit
