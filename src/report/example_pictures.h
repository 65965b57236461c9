// Pictures of adversarial images beside their originals.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "assay/report/document.h"
#include "report/report_paths.h"
#include "report/said.h"

namespace assay {

inline constexpr std::string_view attack_examples_schema = "assay.attack_examples/1";

/// Of the examples of a result of attack_examples_schema, one of each attack in turn, as long as
/// all the pictures of one fit into `most`: original and attacked image as thumbnails, the
/// difference as it is, because its noise bears no resizing. Their ids are their paths in the
/// result, which lead nowhere but below its file's folder. What cannot be read is left out, and
/// said.
std::vector<Thumbnail> example_pictures(const SavedResult& examples, std::size_t most, int side,
                                        int threads, Said& said);

}  // namespace assay
