// The setting for plug-ins that provide metrics and corruptions. Several structs of options share
// it. Authors of plug-ins need assay/plugin.h.
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
