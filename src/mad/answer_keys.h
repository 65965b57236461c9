// The keys by which a repeated delivery is one answer, and what those of Label Studio's annotations
// say.
#pragma once

#include <string>
#include <string_view>

#include "mad/answer_readers.h"

namespace assay::mad {

/// Begins the keys of all versions of an annotation of a question. Its number is that of one
/// server; the time at which it was made tells servers apart.
std::string annotation_prefix(const FoundAnswer& found, std::string_view token);
/// Begins those prefixes, whatever the question.
std::string annotation_begin(const FoundAnswer& found);
/// What of a key is annotation_prefix(); "" where it is no such key.
std::string annotation_of(std::string_view key, std::string_view token);

/// Of an answer that its file gives none. `when`: its time, or what stands in place of it.
std::string answer_key(const FoundAnswer& found, std::string_view token, std::string_view when,
                       std::string_view annotator);

/// Of the row that says that an annotation was taken back.
std::string taken_back_key(std::string_view annotation, std::string_view when);
bool is_taken_back(std::string_view key, std::string_view annotation);

}  // namespace assay::mad
