#include "derived/made_from.h"

#include <string_view>

#include <nlohmann/json.hpp>

namespace assay::derived {
namespace {

bool provenance_has(const PredictionStore& store, std::string_view key) {
    const nlohmann::json made = nlohmann::json::parse(store.spec().provenance_json, nullptr, false);
    return made.is_object() && made.contains(key);
}

}  // namespace

bool is_ensemble(const PredictionStore& store) {
    return provenance_has(store, "ensemble");
}

bool is_held_out(const PredictionStore& store) {
    return provenance_has(store, "rows_of");
}

}  // namespace assay::derived
