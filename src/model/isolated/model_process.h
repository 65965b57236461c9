// The process of one model: applies the limits to itself, opens the model, and computes batches.
#pragma once

#include <functional>
#include <string_view>

#include "core/descriptor.h"
#include "model/plugin.h"

namespace assay::isolated {

/// Returns the plug-in, which the first call opens.
using OpenPlugin = std::function<const TorchPlugin&()>;

/// Answers requests on `control` until its other end is gone. The first message is an OpenRequest.
/// Each later message brings a channel for batches, which gets its own thread. The calling thread
/// must be the only one. `output` receives stderr.
[[noreturn]] void run_model(const OpenPlugin& plugin, std::string_view request, Descriptor control,
                            Descriptor output);

}  // namespace assay::isolated
