// What stands beside a plug-in that was built for a LibTorch outside the system's folders: such a
// LibTorch is replaced and removed without the plug-in, by pip.
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
    std::uint64_t bytes = 0;         ///< the size of that file: another LibTorch has another
    std::string version;             ///< "2.6.0"
};
template <>
inline constexpr auto description<PluginRecord> = describe<PluginRecord>({
    field<&PluginRecord::libtorch>({}),
    field<&PluginRecord::bytes>({}),
    field<&PluginRecord::version>({}),
});

/// The record's file for a plug-in's.
std::filesystem::path record_file(const std::filesystem::path& plugin);
std::string text_of(const PluginRecord& record);
/// Nothing where there is none. Throws bad_input: damaged.
std::optional<PluginRecord> record_of_plugin(const std::filesystem::path& plugin);
/// Why the plug-in cannot be used, and what to do: a whole sentence without a full stop; "": no
/// such reason is known.
std::string problem_of_plugin(const std::filesystem::path& plugin);
/// The same by its record, where that has been read.
std::string problem_of_plugin(const std::filesystem::path& plugin, const PluginRecord& record);

}  // namespace assay
