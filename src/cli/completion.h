// Completions of a command line. Shells request them through `assay __complete`
// (cmd_completion.cpp), which formats them for each shell.
#pragma once

#include <string>
#include <vector>

#include "cli/offers.h"

namespace assay::cli {

struct Completion {
    std::vector<Candidate> candidates;  ///< replacements of the last word
    bool paths = false;                 ///< true if some candidates are files or folders
    bool goes_on = false;               ///< true if a candidate may continue without a blank
    std::string hint;                   ///< describes the argument if nothing can be proposed
};

/// `words` follow `assay`; the last one is being typed and may be empty. It throws nothing and runs
/// nothing: an invalid line has no completion.
Completion complete(const std::vector<std::string>& words);

/// Completes the name of any file, after a redirection.
Completion complete_file(const std::string& typed);

/// The description if it fits on a menu line; otherwise its first sentence, or as much of it as
/// fits.
std::string in_few_words(std::string_view text);

}  // namespace assay::cli
