// Places the thumbnails of a report.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "assay/report/document.h"

namespace assay {

/// Returns the document with each thumbnail in a data: address.
nlohmann::json with_embedded_thumbnails(const ReportDocument& document);
/// Returns the document with each thumbnail as a file next to the page.
nlohmann::json with_linked_thumbnails(const ReportDocument& document);
/// Returns "thumbnails/<32 hex digits>.jpg", derived from the bytes.
std::string file_of(const Thumbnail& thumbnail);

}  // namespace assay
