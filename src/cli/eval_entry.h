// A model of `assay eval` during the evaluation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/evaluation.h"

namespace assay::cli {

struct EvalEntry {
    ModelOpener opener;
    CommandWith command;  ///< the command as typed, only for this model
    std::string check;    ///< the `assay check` command for all checks
    bool search = false;  ///< true if no source defines how the input is prepared
    LoadedModel model;    ///< opened as chosen; before the choice, with any settings
    bool mixes = false;   ///< images of a batch affect each other
    PreprocessingChoice choice;
    std::optional<ModelSettings> to_save;  ///< settings to save once there are numbers
    bool saved = false;
    std::vector<std::string> warnings;
};

/// Opens the models with their settings, or with any settings. The inputs must outlive the
/// models.
std::vector<EvalEntry> opened_entries(const EvalInputs& inputs);
/// Finds the preprocessing; throws if it cannot be found.
void choose_for(EvalEntry& entry, const Dataset& dataset, const EvalInputs& inputs);
/// Checks for problems before any long work, and prints them.
void guard_entry(EvalEntry& entry, const Dataset& dataset, const EvalInputs& inputs);

/// True if a settings file can be written next to the model, and none exists.
bool can_save_settings(const ModelSpec& spec);
/// Writes the chosen or typed settings next to the model, or prints why not.
void save_settings(EvalEntry& entry);

}  // namespace assay::cli
