// Unique names for things that share a name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay {

struct NamedFolder {
    std::string name;
    std::filesystem::path folder;
};

/// The names. Those that occur more than once get the shortest ends of their folders that differ:
/// "runs/val" and "old/val".
std::vector<std::string> told_apart(const std::vector<NamedFolder>& named);

}  // namespace assay
