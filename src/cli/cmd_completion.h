// What the scripts of `assay completion` ask for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

/// The first argument by which a shell asks; the program's help does not show it.
inline constexpr std::string_view shell_question = "__complete";

/// Answers a shell: "bash" LINE COMP_WORDBREAKS, "zsh" WORD..., "fish" WORD WORDS_BEFORE..., where
/// LINE ends at the cursor. Written to stdout in the form that the shell's script reads.
int answer_shell(const std::vector<std::string>& arguments);

}  // namespace assay::cli
