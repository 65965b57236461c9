// Requests of the labelling page put to a labelling service.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "assay/labelling/service.h"
#include "serve/http.h"
#include "serve/labelling_requests.h"

namespace assay::serve {

/// Who a token belongs to; 0: the organiser, who is no person of the service.
using PersonId = std::int64_t;
inline constexpr PersonId organiser_id = 0;

/// One thread at a time, the service's.
class LabellingRoutes {
public:
    using LinkOf = std::function<std::string(std::string_view token)>;
    LabellingRoutes(labelling::Service& service, std::string organiser_token, LinkOf link_of)
        : service_(service),
          organiser_token_(std::move(organiser_token)),
          link_of_(std::move(link_of)) {}

    /// Throws Refusal: 401, 403 of a link that was taken back.
    PersonId whose(std::string_view token) const;
    /// Throws Refusal, and what the service throws. Not for images and strings.
    HttpResponse answer(PersonId who, const LabellingRequest& request);
    /// The file of an image. Throws Refusal: 404.
    std::filesystem::path image_of(PersonId who, const GetImage& request) const;

private:
    labelling::Service& service_;
    const std::string organiser_token_;
    const LinkOf link_of_;
};

}  // namespace assay::serve
