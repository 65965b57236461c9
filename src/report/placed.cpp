#include "report/placed.h"

#include <nlohmann/json.hpp>
#include <span>

#include "core/hash.h"
#include "report/packed.h"

namespace assay {
namespace {

template <class Source>
nlohmann::json with_thumbnails(const ReportDocument& document, Source&& source) {
    nlohmann::json out = document.json;
    out["thumbnails"] = nlohmann::json::array();
    for (const Thumbnail& one : document.thumbnails)
        out["thumbnails"].push_back({{"dataset", one.dataset},
                                     {"id", one.id},
                                     {"width", one.width},
                                     {"height", one.height},
                                     {"source", source(one)}});
    return out;
}

}  // namespace

nlohmann::json with_embedded_thumbnails(const ReportDocument& document) {
    return with_thumbnails(document, [](const Thumbnail& one) {
        return "data:image/jpeg;base64," + base64(std::span(one.bytes));
    });
}

nlohmann::json with_linked_thumbnails(const ReportDocument& document) {
    return with_thumbnails(document, file_of);
}

std::string file_of(const Thumbnail& thumbnail) {
    const std::string hash = hash_bytes(std::as_bytes(std::span(thumbnail.bytes)));
    return "thumbnails/" + hash.substr(hash.find(':') + 1) + ".jpg";
}

}  // namespace assay
