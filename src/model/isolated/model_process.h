// The process of one model: takes limits upon itself, opens the model, computes what it is asked.
#pragma once

#include <functional>
#include <string_view>

#include "core/descriptor.h"
#include "model/plugin.h"

namespace assay::isolated {

/// The plug-in, which is opened on the first call.
using OpenPlugin = std::function<const TorchPlugin&()>;

/// Serves `control` until its other end is gone: the first message is an OpenRequest, each later
/// one brings a channel for batches, which gets a thread of its own. The calling thread must be the
/// only one. `output` takes what is written to stderr.
[[noreturn]] void run_model(const OpenPlugin& plugin, std::string_view request, Descriptor control,
                            Descriptor output);

}  // namespace assay::isolated
