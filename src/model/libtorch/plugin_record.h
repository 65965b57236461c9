// A record next to a plug-in that was built for a LibTorch outside the system's folders. pip may
// replace or remove such a LibTorch without the plug-in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "assay/describe.h"

namespace assay {

/// The file libassay_torch.json next to libassay_torch.so: assay.torch_plugin/1.
struct PluginRecord {
    std::filesystem::path libtorch;  ///< its libtorch_cpu.so
    std::uint64_t bytes = 0;         ///< size of that file, by which another LibTorch is detected
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
/// Returns nothing if there is no record. Throws bad_input if it is damaged.
std::optional<PluginRecord> record_of_plugin(const std::filesystem::path& plugin);
/// The reason why the plug-in cannot be used, and what to do, as a sentence without a full stop; ""
/// if it seems usable.
std::string problem_of_plugin(const std::filesystem::path& plugin);
/// The same with a record that was read already.
std::string problem_of_plugin(const std::filesystem::path& plugin, const PluginRecord& record);

}  // namespace assay
