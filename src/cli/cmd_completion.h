// The functions behind the scripts of `assay completion`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

/// The first argument in calls from a shell; the program's help does not show it.
inline constexpr std::string_view shell_question = "__complete";

/// Answers a shell: "bash" LINE COMP_WORDBREAKS, "zsh" WORD..., "fish" WORD WORDS_BEFORE..., where
/// LINE ends at the cursor. The answer is written to stdout in the format of the shell's script.
int answer_shell(const std::vector<std::string>& arguments);

}  // namespace assay::cli
