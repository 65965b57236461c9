#include "described_results.h"

#include "assay/annotation/aggregate_votes.h"
#include "assay/annotation/draw_gold.h"
#include "assay/annotation/label_stats.h"
#include "assay/annotation/propose.h"
#include "assay/evaluate/people.h"
#include "assay/labelling/folder.h"
#include "assay/mad/distance_path.h"
#include "assay/mad/gallery.h"
#include "assay/mad/questions.h"
#include "assay/mad/rank.h"
#include "assay/mad/selection_round.h"
#include "assay/replication/figures.h"
#include "assay/replication/simulation.h"
#include "assay/replication/steps.h"
#include "audit/described_audit.h"
#include "cli/paper_result.h"
#include "cli/serve_result.h"
#include "decisions/described_decisions.h"
#include "derived/described_derived.h"
#include "evaluate/attack_examples.h"
#include "evaluate/cost_result.h"
#include "evaluate/described_evaluate.h"
#include "evaluate/described_program.h"
#include "evaluate/eval/described_eval.h"
#include "few_labels/described_few_labels.h"
#include "mad/answers_result.h"
#include "model/described_model.h"
#include "patchml/described_patchml.h"
#include "quality/described_quality.h"
#include "report/described_report.h"
#include "robustness/described_robustness.h"
#include "slices/described_slices.h"
#include "store/described_store.h"
#include "study/described_study.h"

namespace assay {

std::vector<ResultType> described_results() {
    // One line for each schema. clang-format off
    return {
        result_type(ResultOf<About>{}),
        result_type(ResultOf<Aggregation>{}),
        result_type(ResultOf<CalibrateResult>{}),
        result_type(ResultOf<CalibrationLayer>{}),
        result_type(ResultOf<CheckResult>{}),
        result_type(ResultOf<CompareResult>{}),
        result_type(ResultOf<CorruptResult>{}),
        result_type(ResultOf<CorruptedAccuracyResult>{}),
        result_type(ResultOf<CostResult>{}),
        result_type(ResultOf<DatasetLabelStats>{}),
        result_type(ResultOf<decisions::ConformalResult>{}),
        result_type(ResultOf<decisions::MethodComparison>{}),
        result_type(ResultOf<decisions::OperatingResult>{}),
        result_type(ResultOf<decisions::CostDecisions>{}),
        result_type(ResultOf<EnsembleStore>{}),
        result_type(ResultOf<few_labels::DrawnSample>{}),
        result_type(ResultOf<few_labels::PoolDrift>{}),
        result_type(ResultOf<few_labels::PoolEstimate>{}),
        result_type(ResultOf<CertifyResult>{}),
        result_type(ResultOf<EvalResult>{}),
        result_type(ResultOf<GapReport>{}),
        result_type(ResultOf<ImportReport>{}),
        result_type(ResultOf<InspectResult>{}),
        result_type(ResultOf<JoinResult>{}),
        result_type(ResultOf<Listed>{}),
        result_type(ResultOf<PatchmlResult>{}),
        result_type(ResultOf<PeopleResult>{}),
        result_type(ResultOf<PredictedStores>{}),
        result_type(ResultOf<PredictionPlan>{}),
        result_type(ResultOf<Proposals>{}),
        result_type(ResultOf<GoldDraw>{}),
        result_type(ResultOf<RelabelResult>{}),
        result_type(ResultOf<ReportFolderMark>{}),
        result_type(ResultOf<ReportParts>{}),
        result_type(ResultOf<ShowResult>{}),
        result_type(ResultOf<ShownAttacks>{}),
        result_type(ResultOf<ShownScores>{}),
        result_type(ResultOf<TorchState>{}),
        result_type(ResultOf<VerifyResult>{}),
        result_type(ResultOf<attack::ExamplesFile>{}),
        result_type(ResultOf<audit::LabelAudit>{}),
        result_type(ResultOf<cli::PaperResult>{}),
        result_type(ResultOf<cli::ServedLinks>{}),
        result_type(ResultOf<labelling::FolderSummary>{}),
        result_type(ResultOf<mad::AnswerRounds>{}),
        result_type(ResultOf<mad::BlockRound>{}),
        result_type(ResultOf<mad::Competition>{}),
        result_type(ResultOf<mad::CompetitionStatus>{}),
        result_type(ResultOf<mad::DistancePath>{}),
        result_type(ResultOf<mad::ExportManifest>{}),
        result_type(ResultOf<mad::ExportedFiles>{}),
        result_type(ResultOf<mad::Gallery>{}),
        result_type(ResultOf<mad::QuestionRound>{}),
        result_type(ResultOf<mad::Ranking>{}),
        result_type(ResultOf<mad::SelectionRound>{}),
        result_type(ResultOf<quality::ChooseResult>{}),
        result_type(ResultOf<quality::CorrelateResult>{}),
        result_type(ResultOf<quality::GroupResult>{}),
        result_type(ResultOf<quality::PeopleShapeBiasResult>{}),
        result_type(ResultOf<quality::QualityPlan>{}),
        result_type(ResultOf<quality::QubaResult>{}),
        result_type(ResultOf<quality::RankingResult>{}),
        result_type(ResultOf<quality::ShownQuality>{}),
        result_type(ResultOf<quality::StabilityResult>{}),
        result_type(ResultOf<replication::AdjustOutcome>{}),
        result_type(ResultOf<replication::FrequenciesOutcome>{}),
        result_type(ResultOf<replication::MatchOutcome>{}),
        result_type(ResultOf<replication::PlanOutcome>{}),
        result_type(ResultOf<replication::ReplicateFigures>{}),
        result_type(ResultOf<replication::SimulateOutcome>{}),
        result_type(ResultOf<replication::Simulation>{}),
        result_type(ResultOf<slices::SliceResult>{}),
        result_type(ResultOf<study::CompetitionCheck>{}),
        result_type(ResultOf<study::FolderCheck>{}),
    };
    // clang-format on
}

}  // namespace assay
