// The pages from web/built/, compiled into the program.
#pragma once

#include <span>
#include <string_view>

#include "serve/http.h"

namespace assay::serve {

struct Page {
    std::string_view path;  ///< "/", "/organiser", "/assets/app.js"
    std::string_view type;
    std::string_view bytes;
    std::string_view etag;  ///< includes its quotation marks
};

std::span<const Page> pages();
/// Returns nullptr if there is no such page.
const Page* page_at(std::string_view path);
/// The text of web/strings/en.json.
std::string_view english_strings();

/// Returns the page, or 304 if the browser already has it.
HttpResponse response_of(const Page& page, std::string_view if_none_match);

}  // namespace assay::serve
