// A model of `assay eval` on its way to a number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/evaluation.h"

namespace assay::cli {

struct EvalEntry {
    ModelOpener opener;
    CommandWith command;  ///< of this model alone
    std::string check;    ///< the command of all checks
    bool search = false;  ///< nothing says how its input is prepared
    LoadedModel model;    ///< opened as chosen; until then in any way
    bool mixes = false;   ///< images of one batch
    PreprocessingChoice choice;
    std::optional<ModelSettings> to_save;  ///< once there are numbers
    bool saved = false;
    std::vector<std::string> warnings;
};

/// The models as they are given, or in any way. They use the inputs as long as they are there.
std::vector<EvalEntry> opened_entries(const EvalInputs& inputs);
/// Finds the preprocessing; throws where it cannot be found.
void choose_for(EvalEntry& entry, const Dataset& dataset, const EvalInputs& inputs);
/// Looks for what is wrong before anything long; says what it finds.
void guard_entry(EvalEntry& entry, const Dataset& dataset, const EvalInputs& inputs);

/// Whether there is a place for a settings file beside the model, and none yet.
bool can_save_settings(const ModelSpec& spec);
/// Writes what was chosen, or typed, beside the model, or says why not.
void save_settings(EvalEntry& entry);

}  // namespace assay::cli
