// Passes the labeling page's requests to a labeling service.
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

/// The owner of a token. 0 is the organizer, who is not a person of the service.
using PersonId = std::int64_t;
inline constexpr PersonId organiser_id = 0;

/// Not thread-safe. Only the service's thread uses it.
class LabellingRoutes {
public:
    using LinkOf = std::function<std::string(std::string_view token)>;
    LabellingRoutes(labelling::Service& service, std::string organiser_token, LinkOf link_of)
        : service_(service),
          organiser_token_(std::move(organiser_token)),
          link_of_(std::move(link_of)) {}

    /// Throws Refusal with 401, or with 403 for a revoked link.
    PersonId whose(std::string_view token) const;
    /// Throws Refusal and the service's errors. Not for images and strings.
    HttpResponse answer(PersonId who, const LabellingRequest& request);
    /// The file of an image. Throws Refusal with 404.
    std::filesystem::path image_of(PersonId who, const GetImage& request) const;

private:
    labelling::Service& service_;
    const std::string organiser_token_;
    const LinkOf link_of_;
};

}  // namespace assay::serve
