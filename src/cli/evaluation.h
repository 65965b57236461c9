// The work of `assay eval` between reading its options and printing its screen.
#pragma once

#include <string>
#include <vector>

#include "assay/evaluate/eval.h"
#include "assay/evaluate/measure_options.h"
#include "assay/evaluate/predict.h"
#include "cli/inputs.h"
#include "cli/typed_options.h"

namespace assay::cli {

struct EvalInputs {
    ModelFlags models;
    DataFlags data;  ///< one folder
    PredictOptions predict;
    MeasureOptions measure;
    bool batch_given = false;
    std::vector<TypedOption> typed;  ///< typed options except models, their names and the images
    bool save_settings = false;

    /// Images go through the models one at a time.
    bool images_alone() const { return batch_given && predict.batch_size == 1; }
};

/// Finds the preprocessing, warns, predicts, measures and writes the page. Each step is reported on
/// stderr. Throws usage if the preprocessing cannot be found, and the errors of its parts.
EvalResult run_evaluation(const EvalInputs& inputs);

}  // namespace assay::cli
