#include "robustness/attack_record.h"

#include <fmt/format.h>

#include <array>

#include "core/json_reader.h"
#include "core/refuse.h"
#include "store/side_record.h"

namespace assay {
namespace {

using nlohmann::json;

constexpr std::array all_verdicts = {AttackVerdict::not_checked, AttackVerdict::no_sign,
                                     AttackVerdict::doubtful, AttackVerdict::not_usable};

AttackVerdict verdict_in(const JsonReader& field) {
    const std::optional<AttackVerdict> verdict = attack_verdict_named(field.text());
    if (!verdict)
        field.refuse_as("a verdict: not checked, no sign of masking, doubtful, not usable");
    return *verdict;
}

}  // namespace

std::string_view name_of(AttackVerdict verdict) {
    switch (verdict) {
        case AttackVerdict::not_checked:
            break;
        case AttackVerdict::no_sign:
            return "no sign of masking";
        case AttackVerdict::doubtful:
            return "doubtful";
        case AttackVerdict::not_usable:
            return "not usable";
    }
    return "not checked";
}

std::optional<AttackVerdict> attack_verdict_named(std::string_view name) {
    for (const AttackVerdict verdict : all_verdicts) {
        if (name == name_of(verdict)) return verdict;
    }
    return std::nullopt;
}

std::string reason_of(const AttackControl& control) {
    std::string text;
    for (const MaskingSign& sign : control.signs) {
        if (sign.found) text += (text.empty() ? "" : "; ") + sign.text;
    }
    return text;
}

void write_control(const PredictionStore& store, const StoredControl& stored) {
    const AttackControl& control = stored.control;
    json signs = json::array();
    for (const MaskingSign& sign : control.signs) {
        signs.push_back({{"name", sign.name},
                         {"means", name_of(sign.means)},
                         {"tested", sign.tested},
                         {"found", sign.found},
                         {"text", sign.text}});
    }
    store::write_side_record(store, store::attack_control_record,
                             {{"verdict", name_of(control.verdict)},
                              {"signs", signs},
                              {"attack", control.attack},
                              {"eps", control.eps},
                              {"images", control.images},
                              {"left", control.left},
                              {"left_by_control", control.left_by_control},
                              {"forward", control.forward},
                              {"backward", control.backward},
                              {"definition", stored.definition}});
}

std::optional<StoredControl> read_control(const PredictionStore& store) {
    const std::optional<json> value = store::read_side_record(store, store::attack_control_record);
    if (!value) return std::nullopt;
    const JsonReader fields(*value);
    StoredControl stored;
    AttackControl& control = stored.control;
    control.verdict = verdict_in(fields["verdict"]);
    for (const JsonReader& sign : fields["signs"].entries()) {
        control.signs.push_back({.name = sign["name"].text(),
                                 .means = verdict_in(sign["means"]),
                                 .found = sign["found"].truth(),
                                 .text = sign["text"].text(),
                                 .tested = sign["tested"].truth()});
    }
    control.attack = fields["attack"].text();
    control.eps = fields["eps"].number();
    control.images = fields["images"].whole();
    control.left = fields["left"].whole();
    control.left_by_control = fields["left_by_control"].whole();
    control.forward = fields["forward"].whole();
    control.backward = fields["backward"].whole();
    stored.definition = fields["definition"].object();
    return stored;
}

}  // namespace assay
