// What may be typed next on a command line. Shells ask for it through `assay __complete`
// (cmd_completion.cpp), which says it in each shell's way.
#pragma once

#include <string>
#include <vector>

#include "cli/offers.h"

namespace assay::cli {

struct Completion {
    std::vector<Candidate> candidates;  ///< in the place of the last word
    bool paths = false;                 ///< some are files or folders
    bool goes_on = false;               ///< one that is taken may go on: no blank behind it
    std::string hint;                   ///< what the argument is, where nothing can be proposed
};

/// `words` stand behind `assay`; the last one is being typed and may be empty. Nothing is thrown
/// and nothing is run: a line that makes no sense has no completion.
Completion complete(const std::vector<std::string>& words);

/// Any file: what follows a redirection.
Completion complete_file(const std::string& typed);

/// A description where a line of a menu holds it; else its first sentence, or as much of that as
/// the line holds.
std::string in_few_words(std::string_view text);

}  // namespace assay::cli
