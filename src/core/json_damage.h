// Says in plain words why a text is not JSON, for the one who has to repair it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay {

/// Whether messages give the line. The lines of a .jsonl file are parsed one by one, and their
/// reader knows the number of the line.
enum class JsonLines { several, one };

/// Describes the first fault of a text that is not JSON (RFC 8259): "damaged JSON at line 2, column
/// 3: expected a value, found `]`". A line ends with LF. Columns count characters, both from 1.
/// `position` is the number of bytes that the parser had read when it stopped; it is used for the
/// fault that the grammar does not show, a number beyond the range of double. Cost: linear in the
/// text, with one byte for each open list or object.
std::string json_damage(std::string_view text, std::size_t position,
                        JsonLines lines = JsonLines::several);

}  // namespace assay
