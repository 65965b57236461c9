// A report as one HTML file that opens from the disk, without a network, in any browser from 2023
// or newer.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "assay/report/document.h"

namespace assay {

/// The page with the document in it. Its JSON is compressed (gzip) and in base64, so that no string
/// of the data is ever read as HTML. The page's Content-Security-Policy allows its own script and
/// styles by their digests, images in `data:`, and nothing from elsewhere. Equal documents give the
/// same bytes.
std::string page_of(const nlohmann::json& document);

/// The same page for a server. It requests the JSON from `document` (a path on the same host), and
/// again after each change.
std::string live_page(const std::string& document);

/// Checks the destination before anything is computed: throws bad_input if write_report() would.
void check_report_place(const std::filesystem::path& out);

/// Writes the report to FILE.html with its thumbnails embedded or, if `out` has another extension,
/// as a new folder with report.html and thumbnails/. A file is either replaced completely or not
/// changed. The folder of an earlier report is replaced so that its page always finds its
/// thumbnails. Throws bad_input for a file that is not a report, a folder that contains something
/// else, a place inside a store or a competition; io.
void write_report(const ReportDocument& document, const std::filesystem::path& out);

}  // namespace assay
