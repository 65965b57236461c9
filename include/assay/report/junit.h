// Gates as tests: the XML that CI systems show.
#pragma once

#include <string>

#include "assay/report.h"

namespace assay {

/// JUnit's XML: a suite for each data set, in it a test for each gate and model; a broken gate is a
/// failure, which says what was found, the bound, the value with its interval and its definition.
/// Control characters are shown as `\x1b`, as on a terminal: XML has none of them.
std::string junit_xml(const Report& report);

}  // namespace assay
