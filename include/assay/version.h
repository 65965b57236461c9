#pragma once

namespace assay {

inline constexpr const char* version = "0.1.0";

}  // namespace assay
