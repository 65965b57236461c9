#include "model/train_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "assay/error.h"

namespace assay {
namespace {

std::string_view name_of(NetworkKind kind) {
    return kind == NetworkKind::patches ? "patches" : "whole";
}

void check_name(const std::string& name) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == '.';
    };
    if (name.empty() || name.front() == '.' || name.size() > 100 ||
        !std::all_of(name.begin(), name.end(), allowed)) {
        throw Error(
            ErrorCode::usage,
            fmt::format(
                "network name `{}`: up to 100 letters, digits, '-', '_' and '.', no '.' in front",
                name));
    }
}

void check_range(const TrainSpec& spec, std::string_view what, double value, double low,
                 double high) {
    if (value >= low && value <= high) return;
    throw Error(ErrorCode::usage, fmt::format("network `{}`: {} is {}, outside {} to {}", spec.name,
                                              what, value, low, high));
}

}  // namespace

void check_specs(std::span<const TrainSpec> specs) {
    if (specs.empty()) throw Error(ErrorCode::usage, "no network to train");
    std::set<std::string> names;
    for (const TrainSpec& spec : specs) {
        std::vector<std::string> own = {spec.name};
        if (!spec.calibrated_copy.empty()) own.push_back(spec.calibrated_copy);
        for (const std::string& name : own) {
            check_name(name);
            if (!names.insert(name).second)
                throw Error(ErrorCode::usage, fmt::format("two networks are named `{}`", name));
        }
        check_range(spec, "width", spec.width, 1, 256);
        check_range(spec, "side", spec.side, 16, 256);
        check_range(spec, "epochs", spec.epochs, 1, 100'000);
        check_range(spec, "batch", spec.batch, 2, 4096);
        check_range(spec, "learning_rate", spec.learning_rate, 1e-9, 10);
        check_range(spec, "weight_decay", spec.weight_decay, 0, 10);
        check_range(spec, "label_smoothing", spec.label_smoothing, 0, 0.999);
        check_range(spec, "share", spec.share, 1e-6, 1);
        check_range(spec, "random_textures", spec.random_textures, 0, 1);
        check_range(spec, "adversarial", spec.adversarial, 0, 1);
        check_range(spec, "held_out", spec.held_out, 0, 0.9);
    }
}

nlohmann::json to_json(const TrainSpec& spec) {
    return {{"name", spec.name},
            {"network", name_of(spec.network)},
            {"width", spec.width},
            {"side", spec.side},
            {"epochs", spec.epochs},
            {"batch", spec.batch},
            {"learning_rate", spec.learning_rate},
            {"weight_decay", spec.weight_decay},
            {"label_smoothing", spec.label_smoothing},
            {"share", spec.share},
            {"augment", spec.augment},
            {"random_textures", spec.random_textures},
            {"adversarial", spec.adversarial},
            {"calibrated_copy", spec.calibrated_copy},
            {"held_out", spec.held_out},
            {"seed", spec.seed}};
}

}  // namespace assay
