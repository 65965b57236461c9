// The keys that identify repeated deliveries of one answer, including those of Label Studio's
// annotations.
#pragma once

#include <string>
#include <string_view>

#include "mad/answer_readers.h"

namespace assay::mad {

/// The beginning of the keys of all versions of an annotation for a question. The annotation's
/// number is unique on one server, and the creation time distinguishes servers.
std::string annotation_prefix(const FoundAnswer& found, std::string_view token);
/// The beginning of those prefixes, for any question.
std::string annotation_begin(const FoundAnswer& found);
/// The part of a key that is annotation_prefix(); "" for other keys.
std::string annotation_of(std::string_view key, std::string_view token);

/// The key of an answer without a key in its file. `when` is its time, or a text that stands for
/// it.
std::string answer_key(const FoundAnswer& found, std::string_view token, std::string_view when,
                       std::string_view annotator);

/// The key of the row that records the withdrawal of an annotation.
std::string taken_back_key(std::string_view annotation, std::string_view when);
bool is_taken_back(std::string_view key, std::string_view annotation);

}  // namespace assay::mad
