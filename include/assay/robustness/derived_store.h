// Derived stores: their scores belong to images that were changed by an attack or a corruption
// before the model saw them, are those of a smoothed model, or were calibrated. They are not
// additional models, and are not ranked among these.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "assay/robustness/attack_verdict.h"
#include "assay/store/prediction_store.h"

namespace assay {

struct DerivedStore {
    std::string model;       ///< the model of the scores: "net" for "net@pgd-linf-8_255"
    std::string attack;      ///< "pgd-linf-8_255"; "" if there is none
    std::string corruption;  ///< "fog"; "": none
    int severity = 0;        ///< severity of the corruption
    /// The method that scaled the scores: "temperature", "vector", "per-class"; "" if none did.
    std::string calibration = "";
    /// Of `assay certify`: "sigma 0.25, 10000 copies" or "sigma 0.25, 100 selection copies", with
    /// the seed if it is not 0; "" if the model was not smoothed.
    std::string smoothing = "";
    /// For an attack: the verdict of its controls and the signs that they found, with their
    /// numbers.
    AttackVerdict verdict = AttackVerdict::not_checked;
    std::string doubt = "";

    bool any() const { return is_variant() || !corruption.empty(); }
    /// True for derived scores of a model that has its own scores on the same data set. They do not
    /// count as a model.
    bool is_variant() const {
        return !attack.empty() || !calibration.empty() || !smoothing.empty();
    }
    /// True for scores under attack or of a smoothed model: tables show them apart from models.
    /// Calibrated scores are shown next to the model's own.
    bool is_apart() const { return !attack.empty() || !smoothing.empty(); }
    /// Leaves the corruption: for data sets whose names contain the rest.
    void clear_variant() {
        attack.clear();
        calibration.clear();
        smoothing.clear();
    }
    /// True if the numbers of the attack are unreliable, that is, too good.
    bool is_in_doubt() const { return verdict >= AttackVerdict::doubtful; }
    bool operator==(const DerivedStore&) const = default;
};

/// Reads the origin from the records of the store and its data set. If these do not say how the
/// scores were made (imports), it uses the names: MODEL@ATTACK-NORM-EPS, and those of version_of().
/// Cost: reads a small file.
DerivedStore derived_of(const PredictionStore& store);

/// "pgd-linf-8_255", "fog at severity 3", or both with a comma; "" if it is not derived.
std::string describe(const DerivedStore& derived);

/// "under pgd-linf-8_255", "smoothed (sigma 0.25, 10000 copies)", "calibrated (temperature)", or
/// several with commas; "" for the scores of a model. It tells apart
/// the stores of one model on one data set.
std::string variant_text(const DerivedStore& derived);

/// Describes a store that is in doubt: "the attack is doubtful: ...".
std::string doubt_of(const DerivedStore& derived);

/// The fields `model`, `attack`, `corruption`, `severity`, `calibration`, `smoothing`, if they
/// apply.
nlohmann::json to_json(const DerivedStore& derived);

}  // namespace assay
