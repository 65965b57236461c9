// The five steps of a replication study as a command, a file of options or a program runs them: one
// struct of options, one function, one result, one Report each. Files are read and written here;
// what is computed stands in adjust.h, matching.h, plan.h and simulation.h.
//
// Every rank of `comm` gets the whole result; predictions are read by all of them together. Errors:
// those of the parts, and usage for options that contradict each other. `progress` may be empty.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/progress.h"
#include "assay/replication/adjust.h"
#include "assay/replication/figures.h"
#include "assay/replication/joint.h"
#include "assay/replication/matching.h"
#include "assay/replication/plan.h"
#include "assay/replication/prepare.h"
#include "assay/replication/simulation.h"
#include "assay/report.h"
#include "assay/result_type.h"

namespace assay::replication {

// ---- frequencies: how often each image was selected ----

struct FrequenciesStep {
    std::vector<std::filesystem::path> files;  ///< of one or two sets
    std::filesystem::path
        out;             ///< folder for NAME.frequencies.csv of each set; "": none is written
    bool force = false;  ///< replace files with other contents
    PrepareOptions annotations;
};
struct FrequenciesOutcome {
    PreparedSets prepared;
    bool partial = false;  ///< no annotator judged both sets, and that was not allowed for
};
FrequenciesOutcome run_frequencies(const FrequenciesStep& step);
/// Schema assay.replicate_frequencies/2, docs/formats.md.
ResultType result_type(ResultOf<FrequenciesOutcome>);
/// The records are the images, those of two sets with a
/// column `set`.
Report report_of(const FrequenciesOutcome& outcome);

// ---- match: candidates with the selection frequencies of a reference ----

struct MatchStep {
    std::filesystem::path reference, candidates;
    std::filesystem::path hits;  ///< on the candidates: a csv or a folder of stores; "": none
    PrepareOptions annotations;
    MatchOptions choice;          ///< its seed is that of `annotations`
    std::vector<int> annotators;  ///< several numbers of who choose, instead of that of `choice`
    int threads = 0;              ///< 0: all
};
struct MatchOutcome {
    PreparedSets prepared;                   ///< the reference and the candidates
    MatchResult result;                      ///< by the first number of annotators
    std::vector<MatchResult> by_annotators;  ///< where there are several: of each, without images
    std::vector<MatchedAccuracy> accuracy;   ///< with hits
    std::vector<std::string> warnings;
    bool partial = false;  ///< images or hits are missing
};
MatchOutcome run_match(const MatchStep& step, Comm& comm);
/// Schema assay.replicate_match/2, docs/formats.md.
ResultType result_type(ResultOf<MatchOutcome>);
/// The records are the chosen images.
Report report_of(const MatchOutcome& outcome);

// ---- adjust: the gap's parts ----

struct AdjustStep {
    std::filesystem::path original, replication;            ///< annotations or frequencies
    std::filesystem::path original_hits, replication_hits;  ///< csv files or folders of stores
    PrepareOptions annotations;
    StudyOptions study;
    std::vector<std::string> methods = {"pl", "moments", "naive",
                                        "jackknife"};  ///< of method_names()
    AdjustOptions estimates;       ///< its methods are those above, its seed that of `annotations`
    std::vector<int> sweep;        ///< repeat the estimates with these numbers of annotators
    bool sweep_eighths = false;    ///< with eighths(), where `sweep` is empty
    std::vector<int> parts_sweep;  ///< repeat the mixture with these numbers of parts
    /// Label sets of both data sets (read_label_counts), for joint_decomposition(); both or none.
    std::filesystem::path labels1, labels2;
    std::uint32_t pool_above = 3;  ///< larger numbers of labels count as one
    bool figures = false;          ///< work out what figures need, too
};
struct AdjustOutcome {
    PreparedSets prepared;
    AdjustReport adjusted;
    std::vector<SweepPoint> sweep;
    std::optional<JointReport> joint;  ///< with label sets
    std::vector<std::string> notes;    ///< what the columns of label sets were taken for
    std::optional<FigureData> figures;
    bool partial = false;  ///< images were left out for want of hits
};
/// Throws what can be known before the annotations and the hits are read: usage for methods, for
/// label sets of one data set only, and as check(AdjustOptions); bad_input: annotations that are
/// not there, or that cannot be cleaned. Hits may be still to come.
void check(const AdjustStep& step);
AdjustOutcome run_adjust(const AdjustStep& step, Comm& comm, const ProgressCallback& progress = {});
/// Schema assay.replicate_adjust/2, docs/formats.md.
ResultType result_type(ResultOf<AdjustOutcome>);
/// The records are classifiers by methods.
Report report_of(const AdjustOutcome& outcome);
/// "Of a mean gap of ... points, ... remain and ... were selection bias."; "" where there is no
/// gap.
std::string verdict(const AdjustReport& report);

// ---- plan: annotators and images for a wanted interval ----

struct PlanStep {
    std::filesystem::path original, replication;
    std::filesystem::path original_hits, replication_hits;  ///< both or none
    PrepareOptions annotations;
    PlanOptions plan;  ///< its threads are those below
    int threads = 0;   ///< 0: all
};
struct PlanOutcome {
    PreparedSets prepared;
    PlanOptions options;
    PlanReport plan;
    bool partial = false;  ///< images of the pilot were left out for want of hits
};
PlanOutcome run_plan(const PlanStep& step, Comm& comm);
/// Schema assay.replicate_plan/3, docs/formats.md.
ResultType result_type(ResultOf<PlanOutcome>);
/// The records are its rows.
Report report_of(const PlanOutcome& outcome);

// ---- simulate: the files of a study whose truth is known ----

struct SimulateStep {
    std::filesystem::path out;
    bool force = false;            ///< replace files with other contents
    std::string world = "beta";    ///< see World
    SimulationOptions simulation;  ///< its world is the one above
};
struct SimulateOutcome {
    SimulationOptions options;
    std::filesystem::path folder;
    std::vector<std::string> files;
    std::size_t first_images = 0, second_images = 0;
    Simulation::Truth truth;
};
SimulateOutcome run_simulate(const SimulateStep& step, const ProgressCallback& progress = {});
/// Schema assay.replicate_simulate/1, docs/formats.md.
ResultType result_type(ResultOf<SimulateOutcome>);
/// The records are the sets.
Report report_of(const SimulateOutcome& outcome);

}  // namespace assay::replication
