// The option for the profile of the corruptions' parameters: --profile of corrupt,
// --corrupt-profile of predict.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "assay/robustness/corruption.h"

namespace assay::cli {

inline CLI::Option* add_profile_option(CLI::App& app, const std::string& name,
                                       std::optional<CorruptionProfile>& profile) {
    return app
        .add_option_function<std::string>(
            name, [&profile](const std::string& text) { profile = corruption_profile_named(text); },
            "Whose parameters: imagenet, tiny-imagenet or cifar. By default the longer side of the "
            "first image decides: up to 48 pixels cifar, up to 96 tiny-imagenet. The crop decides "
            "if you give one")
        ->type_name("PROFILE")
        ->check(CLI::IsMember({"imagenet", "tiny-imagenet", "cifar"}));
}

}  // namespace assay::cli
