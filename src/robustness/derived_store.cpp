#include "assay/robustness/derived_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "assay/robustness/attack.h"
#include "assay/robustness/corrupted_accuracy.h"
#include "core/json_limits.h"
#include "robustness/attack_record.h"
#include "store/dataset_files.h"

namespace assay {
namespace {

using nlohmann::json;

/// Returns "pgd-linf-8_255" for "net@pgd-linf-8_255", "fmn-l2" for "net@fmn-l2", and "" for names
/// of other origin.
std::string_view attack_in_name(std::string_view name) {
    const auto at = name.rfind('@');
    if (at == 0 || at == std::string_view::npos) return {};
    const std::string_view variant = name.substr(at + 1);
    const auto begins = [&](std::string_view attack) {
        if (!variant.starts_with(attack)) return false;
        const std::string_view rest = variant.substr(attack.size());
        constexpr std::array norms = {Norm::linf, Norm::l2, Norm::l1, Norm::l0};
        return std::ranges::any_of(norms, [&](Norm norm) {
            const std::string named = fmt::format("-{}", name_of(norm));
            return rest == named || rest.starts_with(named + "-");
        });
    };
    const bool known = begins("autoattack") || std::ranges::any_of(attacks(), [&](const Attack& a) {
                           return begins(a.name);
                       });
    return known ? variant : std::string_view();
}

/// Returns the name of the attack, or "".
std::string attack_of(const StoreSpec& spec) {
    const std::string_view in_name = attack_in_name(spec.model_name);
    json made;
    constexpr int deepest = 64;
    if (!spec.provenance_json.empty()) made = parse_json(spec.provenance_json, deepest);
    if (!made.is_object()) return std::string(in_name);
    const auto scored = made.find("scored_by");
    if (scored != made.end() && scored->is_object() && scored->contains("attack")) {
        const json& attack = scored->at("attack");
        return !in_name.empty() || !attack.is_string() ? std::string(in_name)
                                                       : attack.get<std::string>();
    }
    // If the record says that a model's own scores were stored, the name has no meaning.
    return made.contains("model") ? std::string() : std::string(in_name);
}

/// Adds the result of the attack's controls. A record that cannot be read makes the attack
/// doubtful, so that no gate passes because of the damage.
void add_verdict(DerivedStore& derived, const PredictionStore& store) {
    try {
        const std::optional<StoredControl> stored = read_control(store);
        if (!stored) return;
        derived.verdict = stored->control.verdict;
        derived.doubt = reason_of(stored->control);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        derived.verdict = AttackVerdict::doubtful;
        derived.doubt = "its record cannot be read: " + error.message();
    }
}

/// The method that scaled the scores, from the record of `assay calibrate`. "" if no method did.
/// The store's name is not used.
void add_calibration(DerivedStore& derived, const StoreSpec& spec) {
    if (spec.provenance_json.empty()) return;
    constexpr int deepest = 64;
    const json made = parse_json(spec.provenance_json, deepest);
    if (!made.is_object() || !made.contains("calibrated")) return;
    const json& calibrated = made.at("calibrated");
    if (!calibrated.is_object()) return;
    const auto text = [&](const char* key) {
        const auto found = calibrated.find(key);
        return found != calibrated.end() && found->is_string() ? found->get<std::string>() : "";
    };
    derived.calibration = text("method");
    if (!derived.calibration.empty() && derived.model.empty()) derived.model = text("of");
}

/// The noise of a store of `assay certify`, from its record.
void add_smoothing(DerivedStore& derived, const StoreSpec& spec) {
    if (spec.provenance_json.empty()) return;
    constexpr int deepest = 64;
    const json made = parse_json(spec.provenance_json, deepest);
    if (!made.is_object() || !made.contains("scored_by")) return;
    const json& scored = made.at("scored_by");
    if (!scored.is_object() || !scored.contains("smoothed")) return;
    const json& smoothed = scored.at("smoothed");
    if (!smoothed.is_object() || !smoothed.contains("of") || !smoothed.at("of").is_string()) return;
    const auto number = [&](const char* key) {
        return smoothed.contains(key) && smoothed.at(key).is_number()
                   ? smoothed.at(key).get<double>()
                   : 0;
    };
    const bool selection =
        smoothed.contains("purpose") && smoothed.at("purpose") == "certify.selection";
    derived.smoothing = fmt::format("sigma {}, {} {}copies", number("sigma"), number("copies"),
                                    selection ? "selection " : "");
    if (const double seed = number("seed"); seed > 0)
        derived.smoothing += fmt::format(", seed {}", seed);
    if (derived.model.empty()) derived.model = smoothed.at("of").get<std::string>();
}

/// Adds how the scores were made from those of a model.
void add_scores(std::string& text, const DerivedStore& derived) {
    if (!derived.smoothing.empty())
        text += fmt::format("{}smoothed ({})", text.empty() ? "" : ", ", derived.smoothing);
    if (!derived.calibration.empty())
        text += fmt::format("{}calibrated ({})", text.empty() ? "" : ", ", derived.calibration);
}

}  // namespace

DerivedStore derived_of(const PredictionStore& store) {
    const StoreSpec& spec = store.spec();
    DerivedStore derived;
    derived.attack = attack_of(spec);
    if (!derived.attack.empty()) {
        derived.model = spec.model_name.substr(0, spec.model_name.rfind('@'));
        add_verdict(derived, store);
    }
    add_calibration(derived, spec);
    add_smoothing(derived, spec);
    store::DatasetRecord record;
    if (!store.is_in_memory()) record = store::read_dataset_record(store.folder().parent_path());
    if (!record.corruption.empty()) {
        constexpr int deepest = 64;
        const json made = parse_json(record.corruption, deepest);
        const auto name = made.find("corruption"), severity = made.find("severity");
        const bool named = name != made.end() && name->is_string();
        derived.corruption = named ? name->get<std::string>() : "a corruption";
        if (severity != made.end() && severity->is_number_integer())
            derived.severity = severity->get<int>();
    } else if (const VersionOf version = version_of(record.root, spec.dataset_name);
               version.corruption != nullptr) {
        derived.corruption = version.corruption->name;
        derived.severity = version.severity;
    }
    return derived;
}

std::string describe(const DerivedStore& derived) {
    std::string text = derived.attack;
    if (!derived.corruption.empty())
        text += fmt::format("{}{} at severity {}", text.empty() ? "" : ", ", derived.corruption,
                            derived.severity);
    add_scores(text, derived);
    return text;
}

std::string variant_text(const DerivedStore& derived) {
    std::string text = derived.attack.empty() ? "" : "under " + derived.attack;
    add_scores(text, derived);
    return text;
}

std::string doubt_of(const DerivedStore& derived) {
    return fmt::format("the attack is {}: {}", name_of(derived.verdict), derived.doubt);
}

ResultType result_type(ResultOf<DerivedStore>) {
    static constexpr auto rows = describe_result<DerivedStore>(
        {.name = "DerivedStore", .help = "How the images were changed before the model got them"},
        {
            part({.help =
                      "Set if its images were attacked, or its scores are smoothed or calibrated",
                  .name = "model",
                  .omitted = true},
                 [](const DerivedStore& d) { return d.is_variant() ? d.model : std::string(); }),
            part<&DerivedStore::attack>({.help = "Such as `pgd-linf-8_255`", .omitted = true}),
            part({.help = "What the controls of the attack found: `not checked`, `no sign of "
                          "masking`, `doubtful` or `not usable`",
                  .name = "verdict",
                  .omitted = true},
                 [](const DerivedStore& d) {
                     return d.attack.empty() ? std::string() : std::string(name_of(d.verdict));
                 }),
            part<&DerivedStore::doubt>(
                {.help = "The signs that the controls found, with their numbers", .omitted = true}),
            part<&DerivedStore::corruption>({.omitted = true}),
            part({.name = "severity", .omitted = true},
                 [](const DerivedStore& d) {
                     return d.corruption.empty() ? std::optional<int>() : d.severity;
                 }),
            part<&DerivedStore::calibration>(
                {.help = "How the scores were scaled: `temperature`, `vector` or `per-class`",
                 .omitted = true}),
            part<&DerivedStore::smoothing>(
                {.help = "Noise of `assay certify`: `sigma 0.25, 10000 copies`", .omitted = true}),
        });
    return rows;
}

json to_json(const DerivedStore& derived) {
    return json_of(derived);
}

}  // namespace assay
