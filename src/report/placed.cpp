#include "report/placed.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "core/hash.h"
#include "report/described_report.h"
#include "report/packed.h"

namespace assay {
namespace {

bool is_png(const Thumbnail& thumbnail) {
    return !thumbnail.bytes.empty() && thumbnail.bytes[0] == 0x89;  // a JPEG begins with 0xFF
}

template <class Source>
nlohmann::json with_thumbnails(const ReportDocument& document, Source&& source) {
    nlohmann::json out = document.json;
    out["thumbnails"] = nlohmann::json::array();
    for (const Thumbnail& one : document.thumbnails)
        out["thumbnails"].push_back(
            json_of(PlacedThumbnail{one.dataset, one.id, one.width, one.height, source(one)}));
    return out;
}

}  // namespace

nlohmann::json with_embedded_thumbnails(const ReportDocument& document) {
    return with_thumbnails(document, [](const Thumbnail& one) {
        return fmt::format("data:image/{};base64,", is_png(one) ? "png" : "jpeg") +
               base64(std::span(one.bytes));
    });
}

nlohmann::json with_linked_thumbnails(const ReportDocument& document) {
    return with_thumbnails(document, file_of);
}

std::string file_of(const Thumbnail& thumbnail) {
    const std::string hash = hash_bytes(std::as_bytes(std::span(thumbnail.bytes)));
    return "thumbnails/" + hash.substr(hash.find(':') + 1) + (is_png(thumbnail) ? ".png" : ".jpg");
}

}  // namespace assay
