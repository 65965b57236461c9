// Expands braces to many file names, as the shell does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// True if the text has braces to expand.
bool has_braces(std::string_view text);

/// "a-{00..02}.x" gives a-00.x, a-01.x, a-02.x, and "{a,b}.x" gives a.x, b.x. Several braces give
/// all combinations, in which the last changes fastest. Numbers have the width of the first one.
/// Throws bad_input for an unmatched brace, an empty or descending range, nested braces, more than
/// a million names.
std::vector<std::string> expand_braces(std::string_view text);

}  // namespace assay
