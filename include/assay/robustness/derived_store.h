// Stores that are derived: their scores are of images that were changed before the model got them,
// by an attack or a corruption, or were calibrated. They are no further models, and are not ranked
// among these.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "assay/robustness/attack_verdict.h"
#include "assay/store/prediction_store.h"

namespace assay {

struct DerivedStore {
    std::string model;       ///< whose scores these are: "net" of "net@pgd-linf-8_255"
    std::string attack;      ///< "pgd-linf-8_255"; "": none
    std::string corruption;  ///< "fog"; "": none
    int severity = 0;        ///< of the corruption
    /// What scaled the scores: "temperature", "vector", "per-class"; "": nothing.
    std::string calibration = "";
    /// Of an attack: what its controls found, and, if they found signs, these with their numbers.
    AttackVerdict verdict = AttackVerdict::not_checked;
    std::string doubt = "";

    bool any() const { return is_variant() || !corruption.empty(); }
    /// Other scores of a model that has its own on the same data set: no model to be counted.
    bool is_variant() const { return !attack.empty() || !calibration.empty(); }
    /// The numbers of the attack say little: they are too good.
    bool is_in_doubt() const { return verdict >= AttackVerdict::doubtful; }
    bool operator==(const DerivedStore&) const = default;
};

/// By what the store and its data set record of themselves. Where they do not say how the scores
/// were made (imports), by their names: MODEL@ATTACK-NORM-EPS, and as version_of(). Cost: a
/// small file.
DerivedStore derived_of(const PredictionStore& store);

/// "pgd-linf-8_255", "fog at severity 3", both with a comma; "": not derived.
std::string describe(const DerivedStore& derived);

/// "the attack is doubtful: ..."; of a store that is in doubt.
std::string doubt_of(const DerivedStore& derived);

/// {`model`, `attack`, `corruption`, `severity`, `calibration`}, each where it applies.
nlohmann::json to_json(const DerivedStore& derived);

}  // namespace assay
