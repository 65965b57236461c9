// Names that stand for one thing each, where several things have the same one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay {

struct NamedFolder {
    std::string name;
    std::filesystem::path folder;
};

/// The names; of namesakes the shortest ends of their folders that differ: "runs/val" and
/// "old/val".
std::vector<std::string> told_apart(const std::vector<NamedFolder>& named);

}  // namespace assay
