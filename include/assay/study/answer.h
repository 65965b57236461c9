// What people say to a question.
#pragma once

#include <cstdint>

namespace assay::study {

/// One annotator's answer to "does this image show a LABEL?".
enum class Answer : std::uint8_t { no, yes, cannot_say };

}  // namespace assay::study
