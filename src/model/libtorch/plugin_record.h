// A record next to a plug-in that was built for a LibTorch outside the system's folders. The
// program pip may replace or remove such a LibTorch without the plug-in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "assay/describe.h"

namespace assay {

/// libassay_torch.json beside libassay_torch.so: assay.torch_plugin/1.
struct PluginRecord {
    std::filesystem::path libtorch;  ///< its libtorch_cpu.so
    std::uint64_t bytes = 0;         ///< the size of that file, which differs for another LibTorch
    std::string version;             ///< "2.6.0"
};
template <>
inline constexpr auto description<PluginRecord> = describe<PluginRecord>({
    field<&PluginRecord::libtorch>({}),
    field<&PluginRecord::bytes>({}),
    field<&PluginRecord::version>({}),
});

/// The path of a plug-in's record.
std::filesystem::path record_file(const std::filesystem::path& plugin);
std::string text_of(const PluginRecord& record);
/// Returns nothing if there is none. Throws bad_input if it is damaged.
std::optional<PluginRecord> record_of_plugin(const std::filesystem::path& plugin);
/// Why the plug-in cannot be used, and what to do, as a sentence without a full stop; "" if no
/// reason is known.
std::string problem_of_plugin(const std::filesystem::path& plugin);
/// The same with a record that was read already.
std::string problem_of_plugin(const std::filesystem::path& plugin, const PluginRecord& record);

}  // namespace assay
