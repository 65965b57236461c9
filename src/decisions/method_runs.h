// Parses "NAME=GLOB": finds the stores of a method's training runs, and their seeds.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/decisions/methods.h"

namespace assay::decisions {

struct NamedRun {
    std::string seed;  ///< what * and ? match, with commas between; or as given
    std::filesystem::path store;
};
struct NamedMethod {
    std::string name, pattern;
    std::vector<NamedRun> runs;  ///< sorted by seed: numbers, then other texts
    /// Calibrated and attacked copies of runs, which match too and are no training runs. Empty if
    /// nothing else matches: then these are the runs.
    std::vector<std::filesystem::path> copies = {};
};

/// What the wildcards of `pattern` match in `text`, the whole of it; nothing: no match. * stands
/// for any text, and as little as possible; ? for one character.
std::optional<std::vector<std::string>> wildcards_in(std::string_view pattern,
                                                     std::string_view text);

/// Throws usage: no name or no pattern; bad_input: no store, a folder that is none. Cost: opens
/// each store.
NamedMethod named_method(const std::string& text);
/// Of a method with a pattern or runs. Throws usage: likewise, and a seed twice.
NamedMethod named_method(const GivenMethod& method);

}  // namespace assay::decisions
