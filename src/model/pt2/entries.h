// The entries that distinguish an archive of torch.export from other zip files.
#pragma once

#include <string_view>

namespace assay::pt2 {

/// The entry in PyTorch 2.6 and older: at the top level.
inline constexpr std::string_view kOlderProgram = "serialized_exported_program.json";
/// The entry in PyTorch 2.8 and newer: in the only top-level folder.
inline constexpr std::string_view kNewerMark = "archive_format";

inline bool marks_export_archive(std::string_view entry) {
    const auto slash = entry.find('/');
    return entry == kOlderProgram ||
           (slash != std::string_view::npos && entry.substr(slash + 1) == kNewerMark);
}

}  // namespace assay::pt2
