// Chooses the labels about which to ask annotators, following Beyer et al., "Are we done with
// ImageNet?" (2020), section 3.1.
//
// A model proposes a label of an image if its probability (or its rank) reaches the model's
// threshold. All labels that any chosen model proposes are asked. The thresholds are set so that
// the proposals find a given proportion (recall) of known labels. The known labels are experts'
// gold label sets for some images, or else the original labels. Each threshold is the one at which
// its model alone would find the same number of known labels. That number is the smallest for which
// all models together reach the recall. The chosen subset of models is the one with the fewest
// questions. With up to 6 models, all subsets are tried. With more, the models are dropped one at a
// time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/data/dataset.h"
#include "assay/metric/measurement.h"
#include "assay/progress.h"
#include "assay/report.h"
#include "assay/result_type.h"

namespace assay {

struct ProposeOptions {
    /// Folders of stores, RUNS folders or data sets below them, as in model_stores(), all with the
    /// same items and classes; at most 64 models.
    std::vector<std::string> stores{};
    enum class Rule {
        probability,  ///< a threshold on the probability
        rank          ///< the k best, k by model
    };
    Rule rule = Rule::probability;
    double recall = 0.97;       ///< proportion of the known labels to find, in (0, 1]
    std::uint32_t depth = 20;   ///< the number of best classes per row to consider
    bool choose_models = true;  ///< false uses all models
    bool keep_original =
        true;  ///< always ask about the original label of an image (it does not count as found)
    bool skip_agreed = false;  ///< no questions if every model predicts the only original label
    /// Label sets of some of the items, see read_label_sets; "" uses the original labels as known.
    std::filesystem::path gold{};
    std::uint64_t seed = 1;  ///< seed of the sample, see `sampled`
    double level = 0.95;
    int threads = 0;
};
/// Reads "probability" or "rank". Throws usage.
ProposeOptions::Rule propose_rule_named(std::string_view name);

struct Question {
    std::uint64_t item = 0;
    std::int32_t cls = 0;
    /// Mean probability over the chosen models. A class outside a model's `depth` best (or not
    /// stored) counts as 0, so the mean is a lower bound.
    float prior = 0;
    std::uint64_t models =
        0;  ///< bit m: chosen model m proposed it; 0: asked because it is the original label
};

struct ModelProposals {
    std::string name;
    bool chosen = true;
    /// The lowest probability, or the largest rank from 1, that is proposed. The predicted class of
    /// a chosen model is always proposed.
    double threshold = 0;
    std::uint64_t proposals = 0;  ///< (image, label) pairs
    std::uint64_t alone = 0;      ///< labels that no other chosen model proposes
    Measurement recall;           ///< proportion of the known labels that this model proposes
};
ResultType result_type(ResultOf<ModelProposals>);

struct Proposals {
    std::vector<ModelProposals> models;
    std::vector<Question> questions;  ///< by item, then by descending probability. 24 bytes each
    bool reached = true;              ///< the proposals reach the recall
    Measurement recall_original;      ///< pairs of image and original label that the models propose
    Measurement recall_gold;          ///< undefined without gold sets
    std::uint64_t items = 0, asked = 0, agreed = 0, not_scored = 0;  ///< agreed: skipped
    std::uint64_t most_questions = 0;                                ///< most questions per image
    double mean_questions = 0;                                       ///< over images with questions
    /// The number of images from which thresholds and models were chosen. These are all images with
    /// known labels, or a random part of them. The memory for them is about 150 MB, whatever the
    /// size of the data set.
    std::uint64_t sampled = 0;
    std::vector<std::string> notes;
    std::vector<std::string> warnings;  ///< about attacks and calibrated copies, which are skipped
    ProposeOptions options;
    Dataset dataset;  ///< the data set of the stores
};

/// Checks the options that need no open store. Throws usage for numbers out of range, bad_input
/// for missing gold sets.
void check(const ProposeOptions& options);
/// Items without scores in one of the stores are excluded and counted. Every rank reads its part of
/// the items and returns the same proposals for any number of ranks. Progress counts this rank's
/// items in the steps "thresholds" and "questions". Cost: two reads of the scores. Throws usage,
/// bad_input.
Proposals propose_labels(const ProposeOptions& options, Comm& comm,
                         const ProgressCallback& progress = {});

/// Schema "assay.label_proposals/1" (docs/results.md).
ResultType result_type(ResultOf<Proposals>);
/// Models, thresholds and recall. The questions are not included, because there are many:
/// question_csv() has them. Partial if the recall cannot be reached or items have no scores.
Report report_of(const Proposals& proposals);

/// The questions for a labeling page, a csv with a row per question: item, path, label, class,
/// proposed_by, prior. The label is the class id. The models in proposed_by are separated by
/// blanks.
std::string question_csv(const Proposals& proposals);

}  // namespace assay
