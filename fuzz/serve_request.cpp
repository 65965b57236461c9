// Reads any request of the labelling page: "METHOD PATH?QUERY", a line end, a body. It becomes a
// typed request within its limits, or is refused with a 4xx. The same bytes are also read as an
// image file, to find its orientation.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "serve/image_facts.h"
#include "serve/labelling_requests.h"
#include "serve/refusal.h"
#include "serve/tokens.h"

namespace {

void check(bool holds) {
    if (!holds) std::abort();
}

void check_request(const assay::serve::LabellingRequest& request, std::string_view method) {
    using namespace assay::serve;
    check(method == "GET" || method == "POST");
    if (const auto* work = std::get_if<PostWork>(&request)) {
        check(work->given.size() <= 16 && work->holding.size() <= 16 && work->wanted <= 16);
        for (const assay::labelling::GivenScreen& given : work->given) {
            check(assay::labelling::is_answer_key(given.key) && is_token(given.screen));
            for (const auto& answer : given.answers) check(is_token(answer.first));
        }
    }
    if (const auto* image = std::get_if<GetImage>(&request)) check(is_token(image->question));
    if (const auto* screen = std::get_if<GetScreen>(&request)) check(is_token(screen->screen));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    (void)assay::serve::may_look_different(
        std::span(reinterpret_cast<const std::byte*>(data), size));
    (void)assay::serve::token_in(text);
    const std::size_t line = std::min(text.find('\n'), text.size());
    const std::string_view head = text.substr(0, line);
    const std::size_t blank = std::min(head.find(' '), head.size());
    const std::string_view method = head.substr(0, blank);
    const std::string_view uri = head.substr(std::min(blank + 1, head.size()));
    const std::size_t question = std::min(uri.find('?'), uri.size());
    try {
        check_request(
            assay::serve::parse_labelling_request(method, uri.substr(0, question),
                                                  uri.substr(std::min(question + 1, uri.size())),
                                                  text.substr(std::min(line + 1, text.size()))),
            method);
    } catch (const assay::serve::Refusal& refusal) {
        check(refusal.status() >= 400 && refusal.status() < 500);
    }
    return 0;
}
