// A row of certified-SELECTION-alphaALPHA.csv, which a store of noisy copies has.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "assay/result_type.h"

namespace assay::attack {

struct CertifiedRow {
    std::string_view image;
    std::optional<std::int32_t> label = std::nullopt;
    std::optional<std::int32_t> predicted = std::nullopt;  ///< none if the procedure abstains
    std::optional<std::uint64_t> hits = std::nullopt;      ///< none if the image has no result
    std::optional<double> bound = std::nullopt;
    std::optional<double> radius = std::nullopt;
};
ResultType result_type(ResultOf<CertifiedRow>);

}  // namespace assay::attack
