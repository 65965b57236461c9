// What `assay eval` does between its options and its screen.
#pragma once

#include "assay/evaluate/eval.h"
#include "assay/evaluate/measure_options.h"
#include "assay/evaluate/predict.h"
#include "cli/inputs.h"

namespace assay::cli {

struct EvalInputs {
    ModelFlags models;
    DataFlags data;  ///< one folder
    PredictOptions predict;
    MeasureOptions measure;
    bool batch_given = false;
    bool save_settings = false;
};

/// Finds the preprocessing, warns, predicts, measures and writes the page. What happens is said on
/// stderr. Throws usage where the preprocessing cannot be found, and what its parts throw.
EvalResult run_evaluation(const EvalInputs& inputs);

}  // namespace assay::cli
