// The program's side of assay-model: starts it on first use, and lets it start a process per model.
#pragma once

#include <filesystem>
#include <memory>

#include "model/isolated/running_process.h"
#include "model/isolated/wire.h"

namespace assay::isolated {

inline constexpr const char* launcher_file = "assay-model";
/// The descriptor at which assay-model finds its end of the channel to the program.
inline constexpr int launcher_descriptor = 3;

/// Starts a process that begins to open the model. Its answer arrives over control(). Throws usage
/// if assay-model is not next to the plug-in, or from another build; io if the system refuses.
std::unique_ptr<RunningProcess> start_model(const OpenRequest& request);

/// Opens a plug-in in a separate process, which then ends. Throws usage if the plug-in cannot be
/// opened, or as start_model(); io.
void try_plugin(const std::filesystem::path& plugin);

}  // namespace assay::isolated
