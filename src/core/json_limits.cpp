#include "core/json_limits.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "assay/error.h"
#include "core/text.h"

namespace assay {

nlohmann::json parse_json(std::string_view text, int max_depth) {
    using Event = nlohmann::json::parse_event_t;
    std::vector<std::set<std::string>> keys;
    const auto watch = [&](int depth, Event event, nlohmann::json& parsed) {
        if (event == Event::object_start || event == Event::array_start) {
            if (depth >= max_depth) {
                throw Error(ErrorCode::bad_input,
                            fmt::format("JSON nested deeper than {} levels", max_depth));
            }
            keys.emplace_back();
        } else if (event == Event::object_end || event == Event::array_end) {
            keys.pop_back();
        } else if (event == Event::key) {
            if (!keys.back().insert(parsed.get<std::string>()).second) {
                throw Error(
                    ErrorCode::bad_input,
                    fmt::format("key `{}` stands twice", shortened(parsed.get<std::string>())));
            }
        }
        return true;
    };
    try {
        return nlohmann::json::parse(text.begin(), text.end(), watch);
    } catch (const nlohmann::json::exception& error) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("damaged JSON: {}", shortened(error.what(), 200)));
    }
}

}  // namespace assay
