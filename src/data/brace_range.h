// Expands braces to many file names, as the shell does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Whether the text has braces to expand.
bool has_braces(std::string_view text);

/// "a-{00..02}.x" is a-00.x, a-01.x, a-02.x; "{a,b}.x" is a.x, b.x; several braces give all
/// combinations, in which the last one changes fastest. Numbers have the width of the range's first
/// one. Throws bad_input: an unmatched brace, an empty or descending range, nested braces, more
/// than a million names.
std::vector<std::string> expand_braces(std::string_view text);

}  // namespace assay
