// Pictures of adversarial images next to their originals.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "assay/report/document.h"
#include "report/report_paths.h"
#include "report/said.h"

namespace assay {

inline constexpr std::string_view attack_examples_schema = "assay.attack_examples/1";

/// Pictures for the examples in a result of attack_examples_schema. Takes one from each attack in
/// turn, as long as all the pictures of one example fit into `most`. The original and attacked
/// images are thumbnails. The difference is unchanged, because resizing would destroy its noise.
/// Their ids are their paths in the result, which must be below its file's folder. Pictures that
/// cannot be read are skipped and reported.
std::vector<Thumbnail> example_pictures(const SavedResult& examples, std::size_t most, int side,
                                        int threads, Said& said);

}  // namespace assay
