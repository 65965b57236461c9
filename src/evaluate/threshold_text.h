#pragma once

#include <string>

namespace assay::evaluate {

/// A threshold between 0 and 1 with four decimals, or with as many as show how far it is from the
/// nearer end: "0.7668", "4.5e-07", "0.99999969".
std::string threshold_text(double threshold);

}  // namespace assay::evaluate
