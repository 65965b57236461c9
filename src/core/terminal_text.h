// Texts of others on the way to a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

/// `text` without anything that a terminal would obey: control characters but line ends and tabs
/// become "\x1b", those beyond ASCII and the marks that reverse the order of writing "\u009b",
/// bytes that are not UTF-8 "\xff". Ids of images and names of models and classes may hold any of
/// these.
std::string without_controls(std::string_view text);

/// Whether all of it is characters in their one form.
bool is_utf8(std::string_view text);
/// Appends the UTF-8 of a character: up to 10FFFF, and no surrogate.
void append_utf8(std::uint32_t code, std::string& text);

}  // namespace assay
