// The requests of docs/labelling.md as types. Network input is converted to one of these types, or
// refused. This code does not use services, sockets or files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "assay/labelling/service.h"

namespace assay::serve {

// Requests of everybody.
struct GetStrings {};
// Requests of annotators.
struct GetWelcome {};
struct PostWork {
    std::vector<labelling::GivenScreen> given;
    std::vector<std::string> holding;
    std::uint32_t wanted = 0;
};
struct GetScreen {
    std::string screen;
};
struct GetImage {
    std::string question;
    bool small = false;
};
// Requests of the organizer.
struct GetStatus {};
struct AddPerson {
    std::string name;
};
struct RevokePerson {
    std::int64_t person = 0;
    bool revoked = false;
};
struct NewLink {
    std::int64_t person = 0;
};
struct BlockAnnotator {
    std::string name;
    bool blocked = false;
    std::string reason;
};
struct PauseWork {
    bool paused = false;
};
struct RetryImages {};
struct GetAnswers {};

using LabellingRequest =
    std::variant<GetStrings, GetWelcome, PostWork, GetScreen, GetImage, GetStatus, AddPerson,
                 RevokePerson, NewLink, BlockAnnotator, PauseWork, RetryImages, GetAnswers>;

/// True if only the organizer may make the request.
bool is_organisers(const LabellingRequest& request);

/// `method` is GET or POST. A GET has no body. Throws Refusal with 404, with 405 and the allowed
/// methods, or with 400 and the invalid field.
LabellingRequest parse_labelling_request(std::string_view method, std::string_view path,
                                         std::string_view query, std::string_view body);

}  // namespace assay::serve
