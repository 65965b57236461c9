// Makes unique names for things that share a name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay {

struct NamedFolder {
    std::string name;
    std::filesystem::path folder;
};

/// Returns the names. Repeated names become the shortest ends of their paths that differ:
/// "runs/val" and "old/val".
std::vector<std::string> told_apart(const std::vector<NamedFolder>& named);

}  // namespace assay
