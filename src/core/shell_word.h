// Quotes commands in hints.
#pragma once

#include <string>

namespace assay {

/// Quotes a word for the shell where necessary, so that a command in a hint works as printed.
std::string shell_word(const std::string& word);

}  // namespace assay
