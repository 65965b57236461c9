// Which labels to ask annotators about: after Beyer et al., "Are we done with ImageNet?" (2020),
// section 3.1.
//
// A model proposes a label of an image when its probability (or its rank) reaches the model's
// threshold; what any of the chosen models proposes is asked. The thresholds are set so that the
// proposals find a stated proportion (recall) of labels that are known: of gold label sets made by
// experts for some images, or else of the original labels. Each threshold is the one at which its
// model alone would find the same number of known labels; that number is the smallest with which
// all of them together reach the recall. Of the subsets of the models the one with the fewest
// questions is chosen: all subsets are tried with up to 6 models, with more the models are dropped
// one at a time.
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
    /// Folders of stores, RUNS folders or data sets below them, as model_stores(): all of the same
    /// items and classes; at most 64 models.
    std::vector<std::string> stores{};
    enum class Rule {
        probability,  ///< a threshold on the probability
        rank          ///< the k best, k by model
    };
    Rule rule = Rule::probability;
    double recall = 0.97;       ///< of the known labels, in (0, 1]
    std::uint32_t depth = 20;   ///< so many best classes of a row are looked at
    bool choose_models = true;  ///< false: all models
    bool keep_original =
        true;  ///< the original label of an image is always asked (and does not count as found)
    bool skip_agreed = false;  ///< no questions where every model predicts the only original label
    /// Label sets of some of the items, see read_label_sets; "": the original labels are the known
    /// ones.
    std::filesystem::path gold{};
    std::uint64_t seed = 1;  ///< of the sample, see `sampled`
    double level = 0.95;
    int threads = 0;
};
/// "probability", "rank". Throws usage.
ProposeOptions::Rule propose_rule_named(std::string_view name);

struct Question {
    std::uint64_t item = 0;
    std::int32_t cls = 0;
    /// Mean probability over the chosen models; where a class is not among a model's `depth` best
    /// (or not kept) it counts 0, so that the mean is a lower bound.
    float prior = 0;
    std::uint64_t models =
        0;  ///< bit m: chosen model m proposed it; 0: asked because it is the original label
};

struct ModelProposals {
    std::string name;
    bool chosen = true;
    /// The lowest probability, or the largest rank from 1, that is proposed. The predicted class of
    /// a chosen model always is.
    double threshold = 0;
    std::uint64_t proposals = 0;  ///< (image, label) pairs
    std::uint64_t alone = 0;      ///< of these, proposed by no other chosen model
    Measurement recall;           ///< of the known labels, by this model with its threshold
};
ResultType result_type(ResultOf<ModelProposals>);

struct Proposals {
    std::vector<ModelProposals> models;
    std::vector<Question> questions;  ///< by item, then the most probable first. 24 bytes each
    bool reached = true;              ///< the recall was reached
    Measurement recall_original;  ///< pairs (image, original label) that the models propose; Wilson
    Measurement recall_gold;      ///< undefined without gold sets
    std::uint64_t items = 0, asked = 0, agreed = 0, not_scored = 0;  ///< agreed: skipped
    std::uint64_t most_questions = 0;                                ///< of one image
    double mean_questions = 0;                                       ///< over images asked about
    /// Images on which thresholds and models were chosen: all with known labels, or a random part
    /// of them such that the work fits in some 150 MB, whatever the size of the data set.
    std::uint64_t sampled = 0;
    std::vector<std::string> notes;
    std::vector<std::string> warnings;  ///< of stores of attacks, which are skipped
    ProposeOptions options;
    Dataset dataset;  ///< of the stores
};

/// Throws what can be known before a store is opened: usage for numbers outside of what is allowed,
/// bad_input for gold sets that are not there.
void check(const ProposeOptions& options);
/// Items that one of the stores has no scores of are left out and counted. Every rank reads its
/// part of the items and returns the same proposals, whatever their number. Progress counts this
/// rank's items in the steps "thresholds" and "questions". Cost: two reads of the scores. Throws
/// usage, bad_input.
Proposals propose_labels(const ProposeOptions& options, Comm& comm,
                         const ProgressCallback& progress = {});

/// "assay.label_proposals/1", docs/results.md.
ResultType result_type(ResultOf<Proposals>);
/// Models, thresholds and recall. The questions are not in it, they are
/// many: question_csv() has them. Partial where the recall is out of reach or items have no scores.
Report report_of(const Proposals& proposals);

/// What a labelling page takes, a csv with a line per question: item, path, label, class,
/// proposed_by, prior (label = class id; models separated by blanks).
std::string question_csv(const Proposals& proposals);

}  // namespace assay
