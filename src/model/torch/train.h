// Runs one training, from images to the bytes of a TorchScript file.
#pragma once

#include "model/plugin.h"

namespace assay::torch_plugin {

/// Runs on the calling thread only. Passes on exceptions of `tick`.
TrainedNetwork train(const TrainingImages& images, const TrainSpec& spec, double attack,
                     const TrainTick& tick);

}  // namespace assay::torch_plugin
