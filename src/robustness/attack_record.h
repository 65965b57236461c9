// The verdict on an attack, as the attack's store keeps it.
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "assay/robustness/attack_verdict.h"
#include "assay/store/prediction_store.h"

namespace assay {

struct StoredControl {
    AttackControl control;
    /// What the controls depend on: the same definition gives the same control.
    nlohmann::json definition;
};

/// Throws io.
void write_control(const PredictionStore& store, const StoredControl& control);
/// Nothing where the store has none. Throws bad_input: damaged, or of another store.
std::optional<StoredControl> read_control(const PredictionStore& store);

}  // namespace assay
