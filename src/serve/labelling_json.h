// Writes the data of a labeling service as the JSON of docs/labelling.md.
#pragma once

#include <functional>
#include <string>

#include "assay/labelling/service.h"

namespace assay::serve {

std::string welcome_json(const labelling::Welcome& welcome);
std::string work_json(const labelling::Work& work);
std::string screen_json(const labelling::Screen& screen);
std::string person_json(const labelling::Person& person, const std::string& link);
/// `link_of` returns a person's link for an id, or "".
std::string status_json(const labelling::ServiceStatus& status,
                        const std::function<std::string(std::int64_t person)>& link_of);

}  // namespace assay::serve
