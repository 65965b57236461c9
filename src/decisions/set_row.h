// A row of the csv of sets: an image and the contents of its set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "assay/result_type.h"

namespace assay::decisions {

struct SetRow {
    std::string model, dataset, method, id, part;
    double draw = 0;
    /// No value for images of the calibration part.
    std::optional<std::uint64_t> size;
    std::optional<bool> covered;
    std::string classes;
};

}  // namespace assay::decisions

namespace assay {
ResultType result_type(ResultOf<decisions::SetRow>);
}
