// Descriptions of this component's results (assay/describe_result.h).
#pragma once

#include "assay/decisions/conformal.h"
#include "assay/decisions/cost_decisions.h"
#include "assay/decisions/methods.h"
#include "assay/decisions/operating.h"
#include "assay/result_type.h"

namespace assay {

ResultType result_type(ResultOf<decisions::ConformalSets>);
ResultType result_type(ResultOf<decisions::Abstention>);
ResultType result_type(ResultOf<decisions::ConformalResult>);
ResultType result_type(ResultOf<decisions::MethodRun>);
ResultType result_type(ResultOf<decisions::TrainedMethod>);
ResultType result_type(ResultOf<decisions::MethodDifference>);
ResultType result_type(ResultOf<decisions::MethodComparison>);
ResultType result_type(ResultOf<decisions::OperatingPoint>);
ResultType result_type(ResultOf<decisions::NetBenefit>);
ResultType result_type(ResultOf<decisions::OperatingResult>);
ResultType result_type(ResultOf<decisions::CostCell>);
ResultType result_type(ResultOf<decisions::CostDecision>);
ResultType result_type(ResultOf<decisions::CostDecisions>);

}  // namespace assay
