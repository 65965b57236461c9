// Plug-ins that metrics and corruptions come from: the setting that several structs of options
// have. assay/plugin.h is for those who write one.
#pragma once

#include <filesystem>
#include <vector>

#include "assay/describe.h"

namespace assay {

struct PluginFiles {
    std::vector<std::filesystem::path> plugin;
};
template <>
inline constexpr auto description<PluginFiles> = describe<PluginFiles>({
    field<&PluginFiles::plugin>(
        {.help = "Shared libraries or Python files (.py) with your own metrics and corruptions "
                 "(docs/plugins.md), named FILE:NAME; their code runs with your rights"}),
});

}  // namespace assay
