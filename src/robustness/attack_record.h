// The verdict on an attack, as stored with the attack's store.
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "assay/robustness/attack_verdict.h"
#include "assay/store/prediction_store.h"

namespace assay {

struct StoredControl {
    AttackControl control;
    /// The inputs of the controls. The same definition gives the same control.
    nlohmann::json definition;
};

/// Throws io.
void write_control(const PredictionStore& store, const StoredControl& control);
/// Returns nothing if the store has no record. Throws bad_input if the record is damaged or belongs
/// to another store.
std::optional<StoredControl> read_control(const PredictionStore& store);

}  // namespace assay
