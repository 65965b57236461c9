// The names of a torch.export program's outputs.
#pragma once

#include "core/json_reader.h"
#include "model/pt2/program.h"

namespace assay::pt2 {

/// Names the outputs by the entries of the container that the model returns, or by their positions.
void name_outputs(const JsonReader& module, Program& program);

}  // namespace assay::pt2
