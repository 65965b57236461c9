#include "serve/refusal.h"

#include <nlohmann/json.hpp>

#include "core/json_text.h"

namespace assay::serve {

std::string_view code_of_status(int status) {
    switch (status) {
        case 404:
            return "not_found";
        case 405:
            return "method";
        case 413:
            return "too_large";
        case 414:
        case 431:
            return "headers";
        case 500:
            return "failed";
        case 503:
            return "busy";
        default:
            return "bad_request";
    }
}

HttpResponse response_of(const Refusal& refusal) {
    HttpResponse response;
    response.status = refusal.status();
    response.type = "application/json";
    response.body = HttpBody(json_line({{"error", refusal.what()}, {"code", refusal.code()}}));
    response.fields = refusal.fields;
    return response;
}

Refusal busy_refusal(std::string message) {
    Refusal refusal(503, "busy", std::move(message));
    refusal.fields = {{"Retry-After", "2"}};
    return refusal;
}

}  // namespace assay::serve
