// The five steps of a replication study, for commands, option files and programs. Each has one
// struct of options, one function, one result and one Report. This header reads and writes files;
// the computations are in adjust.h, matching.h, plan.h and simulation.h.
//
// Every rank of `comm` gets the whole result, and all of them read the predictions together.
// Throws the errors of these parts, and usage for options that contradict each other. `progress`
// may be empty.
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
    std::vector<std::filesystem::path> files;  ///< files of one or two sets
    std::filesystem::path
        out;             ///< folder for NAME.frequencies.csv of each set; "": none is written
    bool force = false;  ///< replace existing files with other contents
    PrepareOptions annotations;
};
struct FrequenciesOutcome {
    PreparedSets prepared;
    bool partial = false;  ///< no annotator judged both sets, although that was required
};
FrequenciesOutcome run_frequencies(const FrequenciesStep& step);
/// Schema assay.replicate_frequencies/2, docs/formats.md.
ResultType result_type(ResultOf<FrequenciesOutcome>);
/// The records are the images. With two sets they have a column `set`.
Report report_of(const FrequenciesOutcome& outcome);

// ---- match: candidates with the selection frequencies of a reference ----

struct MatchStep {
    std::filesystem::path reference, candidates;
    std::filesystem::path hits;  ///< hits on the candidates: a csv or a folder of stores; "" means
                                 ///< none
    PrepareOptions annotations;
    MatchOptions choice;          ///< uses the seed of `annotations`
    std::vector<int> annotators;  ///< several numbers of choosing annotators, instead of the one in
                                  ///< `choice`
    int threads = 0;              ///< 0: all
};
struct MatchOutcome {
    PreparedSets prepared;                   ///< the reference and the candidates
    MatchResult result;                      ///< for the first number of annotators
    std::vector<MatchResult> by_annotators;  ///< if there are several: the result for each, without
                                             ///< images
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
    AdjustOptions estimates;       ///< uses the methods above and the seed of `annotations`
    std::vector<int> sweep;        ///< repeat the estimates with these numbers of annotators
    bool sweep_eighths = false;    ///< use eighths() if `sweep` is empty
    std::vector<int> parts_sweep;  ///< repeat the mixture with these numbers of parts
    /// Label sets of both data sets (read_label_counts), for joint_decomposition(); both or none.
    std::filesystem::path labels1, labels2;
    /// More labels than this count as one number; default usual_pool_above. Needs label sets.
    std::optional<std::uint32_t> pool_above;
    bool figures = false;  ///< also compute what figures need
};
struct AdjustOutcome {
    PreparedSets prepared;
    AdjustReport adjusted;
    std::vector<SweepPoint> sweep;
    std::optional<JointReport> joint;  ///< with label sets
    std::vector<std::string> notes;    ///< interpretation of the columns of label sets
    std::optional<FigureData> figures;
    bool partial = false;  ///< images without hits were excluded
};
/// Checks what can be checked before the annotations and hits are read. Throws usage for unknown
/// methods, label sets of only one data set, and as check(AdjustOptions). Throws bad_input for
/// annotations that are missing or cannot be cleaned. The hits need not exist yet.
void check(const AdjustStep& step);
AdjustOutcome run_adjust(const AdjustStep& step, Comm& comm, const ProgressCallback& progress = {});
/// Schema assay.replicate_adjust/2, docs/formats.md.
ResultType result_type(ResultOf<AdjustOutcome>);
/// The records have one row per classifier and method.
Report report_of(const AdjustOutcome& outcome);
/// "Of a mean gap of ... points, ... remain and ... were selection bias."; "" if there is no gap.
std::string verdict(const AdjustReport& report);

// ---- plan: annotators and images for a wanted interval ----

struct PlanStep {
    std::filesystem::path original, replication;
    std::filesystem::path original_hits, replication_hits;  ///< either both paths or none
    PrepareOptions annotations;
    PlanOptions plan;  ///< its `threads` are replaced by those below
    int threads = 0;   ///< 0: all
};
struct PlanOutcome {
    PreparedSets prepared;
    PlanOptions options;
    PlanReport plan;
    bool partial = false;  ///< images of the pilot without hits were excluded
};
PlanOutcome run_plan(const PlanStep& step, Comm& comm);
/// Schema assay.replicate_plan/3, docs/formats.md.
ResultType result_type(ResultOf<PlanOutcome>);
/// The records are the plan's rows.
Report report_of(const PlanOutcome& outcome);

// ---- simulate: the files of a study with a known truth ----

struct SimulateStep {
    std::filesystem::path out;
    bool force = false;            ///< replace existing files with other contents
    std::string world = "beta";    ///< see World
    SimulationOptions simulation;  ///< for the simulated data set `world`
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
/// The records are the simulated sets.
Report report_of(const SimulateOutcome& outcome);

}  // namespace assay::replication
