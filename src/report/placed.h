// Where the thumbnails of a report are.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "assay/report/document.h"

namespace assay {

/// The document with each thumbnail in a data: address.
nlohmann::json with_embedded_thumbnails(const ReportDocument& document);
/// The document with each thumbnail as a file next to the page.
nlohmann::json with_linked_thumbnails(const ReportDocument& document);
/// "thumbnails/<32 hex digits>.jpg": the name is derived from the bytes.
std::string file_of(const Thumbnail& thumbnail);

}  // namespace assay
