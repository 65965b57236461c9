// The table at the end of the walkthrough: what matters about each classifier, read from the kept
// scores.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/model/train.h"
#include "assay/store/prediction_store.h"
#include "cli/table.h"
#include "demo/networks.h"

namespace assay::cli {

/// Decisions on cue-conflict images (Geirhos et al., ICLR 2019): the outline of one class with the
/// texture of another. Images whose cues agree say nothing and are left out.
struct CueCounts {
    std::uint64_t shape = 0;    ///< answered with the outline's class
    std::uint64_t texture = 0;  ///< answered with the texture's class
    std::uint64_t neither = 0;
};

/// From names such as SHAPE/SHAPE3-TEXTURE12.png; the answer is the arg-max over all classes.
/// Throws bad_input where a name does not tell the cues.
CueCounts count_cues(const PredictionStore& store);

/// One line a classifier, in the order of the networks. Data sets that are not under `runs` leave
/// their column out.
Table demo_summary(const std::filesystem::path& runs, std::span<const DemoNetwork> networks,
                   std::span<const TrainReport> reports);

}  // namespace assay::cli
