// Makes untrusted text safe to print on a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

/// Replaces all characters that a terminal would obey. Control characters except newlines and tabs
/// become "\x1b". Controls beyond ASCII and marks that reverse the writing direction become
/// "\u009b". Bytes that are not UTF-8 become "\xff". Image ids and the names of models and classes
/// may contain any of these.
std::string without_controls(std::string_view text);

/// True if the text is valid UTF-8, with each character in its shortest form.
bool is_utf8(std::string_view text);
/// Appends the UTF-8 form of a character, which is at most 10FFFF and no surrogate.
void append_utf8(std::uint32_t code, std::string& text);

}  // namespace assay
