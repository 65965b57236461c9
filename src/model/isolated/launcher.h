// The program's side of assay-model: starts it on first use, and has it start a process per model.
#pragma once

#include <filesystem>

#include "core/descriptor.h"
#include "model/isolated/wire.h"

namespace assay::isolated {

inline constexpr const char* launcher_file = "assay-model";
/// Where assay-model finds its end of the channel to the program.
inline constexpr int launcher_descriptor = 3;

/// A model's process, from outside.
struct ModelProcess {
    Descriptor control;  ///< closing it ends the process
    Descriptor errors;   ///< what it writes to stderr, at most 64 KiB kept; reading never waits
};

/// Starts a process that begins to open the model; its answer comes over `control`. Throws usage:
/// assay-model is not beside the plug-in, or is of another build; io: the system refuses.
ModelProcess start_model(const OpenRequest& request);

/// Opens a plug-in in a process of its own, which then ends. Throws usage: it cannot be opened, or
/// as start_model(); io.
void try_plugin(const std::filesystem::path& plugin);

}  // namespace assay::isolated
