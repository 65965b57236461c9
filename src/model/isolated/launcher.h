// The program's side of assay-model: starts it on first use, and has it start a process per model.
#pragma once

#include <filesystem>
#include <memory>

#include "model/isolated/running_process.h"
#include "model/isolated/wire.h"

namespace assay::isolated {

inline constexpr const char* launcher_file = "assay-model";
/// Where assay-model finds its end of the channel to the program.
inline constexpr int launcher_descriptor = 3;

/// Starts a process that begins to open the model; its answer comes over control().
/// Throws usage: assay-model is not beside the plug-in, or is of another build; io: the system
/// refuses.
std::unique_ptr<RunningProcess> start_model(const OpenRequest& request);

/// Opens a plug-in in a process of its own, which then ends. Throws usage: it cannot be opened, or
/// as start_model(); io.
void try_plugin(const std::filesystem::path& plugin);

}  // namespace assay::isolated
