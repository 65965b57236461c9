#include "assay/report/page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "assay/error.h"
#include "core/json_text.h"
#include "report/markup.h"
#include "report/packed.h"

// Made by src/report/CMakeLists.txt from web/built/report.html: its bytes are between two symbols.
#define ASSAY_EMBEDDED(begin, end, name)                                 \
    extern "C" __attribute__((visibility("hidden"))) const char begin[]; \
    extern "C" __attribute__((visibility("hidden"))) const char end[];
#include "report_files.inc"
#undef ASSAY_EMBEDDED

namespace assay {
namespace {

std::string_view template_page() {
#define ASSAY_EMBEDDED(begin, end, name) return {begin, static_cast<std::size_t>((end) - (begin))};
#include "report_files.inc"
#undef ASSAY_EMBEDDED
}

constexpr std::string_view place_of_the_document =
    R"(<script type="application/gzip" id="document">)";

/// Returns the template with `text` in the place of `mark`.
std::string replaced(std::string_view page, std::string_view mark, std::string_view text) {
    const std::size_t at = page.find(mark);
    if (at == std::string_view::npos || page.find(mark, at + 1) != std::string_view::npos) {
        throw Error(ErrorCode::internal,
                    fmt::format("the built-in page must contain `{}` exactly once", mark));
    }
    std::string out(page.substr(0, at));
    out += text;
    out += page.substr(at + mark.size());
    return out;
}

}  // namespace

std::string page_of(const nlohmann::json& document) {
    std::string text(place_of_the_document);
    text += base64(gzipped(json_line(document)));
    return replaced(template_page(), place_of_the_document, text);
}

std::string live_page(const std::string& document) {
    const std::string open = replaced(template_page(), "connect-src 'none'", "connect-src 'self'");
    std::string element(place_of_the_document.substr(0, place_of_the_document.size() - 1));
    element += fmt::format(R"( data-live="{}">)", markup_text(document));
    return replaced(open, place_of_the_document, element);
}

}  // namespace assay
