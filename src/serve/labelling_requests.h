// The requests of docs/labelling.md as types. Network input becomes one of these, or is refused.
// This code does not use services, sockets or files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "assay/labelling/service.h"

namespace assay::serve {

// Of everybody.
struct GetStrings {};
// Of annotators.
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
// Of the organiser.
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

/// Whether only the organizer may make it.
bool is_organisers(const LabellingRequest& request);

/// `method` is GET or POST; a GET has no body. Throws Refusal: 404, 405 with the allowed methods,
/// 400 with the invalid field.
LabellingRequest parse_labelling_request(std::string_view method, std::string_view path,
                                         std::string_view query, std::string_view body);

}  // namespace assay::serve
