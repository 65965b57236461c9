// Many files by one text, as the shell writes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Whether the text has braces to expand.
bool has_braces(std::string_view text);

/// "a-{00..02}.x" is a-00.x, a-01.x, a-02.x; "{a,b}.x" is a.x, b.x; several braces give all
/// combinations, the last one changing first. A number is as wide as the range's first one. Throws
/// bad_input: a brace without its other one, an empty or descending range, braces in braces, more
/// than a million names.
std::vector<std::string> expand_braces(std::string_view text);

}  // namespace assay
