// Hints that are commands.
#pragma once

#include <string>

namespace assay {

/// A word that the shell takes for this one: a command in a hint should work as it is printed.
std::string shell_word(const std::string& word);

}  // namespace assay
