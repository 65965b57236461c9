// Gates as tests: XML that CI systems show.
#pragma once

#include <string>

#include "assay/report.h"

namespace assay {

/// JUnit's XML: a suite for each data set, which contains a test for each gate and model. A broken
/// gate is a failure, which gives the finding, the bound, the value with its interval and its
/// definition. Control characters are shown as `\x1b`, as on a terminal: XML does not allow them.
std::string junit_xml(const Report& report);

}  // namespace assay
