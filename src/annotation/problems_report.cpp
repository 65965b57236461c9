#include "problems_report.h"

#include <fmt/format.h>

#include "assay/report.h"

namespace assay {

std::vector<std::string> warnings_of(const VoteProblems& problems) {
    std::vector<std::string> out;
    for (const auto& kind : problems.kinds()) {
        std::string text = fmt::format("{}: {}", kind.what, count_text(kind.count));
        for (const std::string& example : kind.examples) text += "\n  " + example;
        if (kind.count > kind.examples.size())
            text +=
                fmt::format("\n  ... and {} more", count_text(kind.count - kind.examples.size()));
        out.push_back(std::move(text));
    }
    return out;
}

nlohmann::json to_json(const VoteProblems& problems) {
    nlohmann::json out = nlohmann::json::array();
    for (const auto& kind : problems.kinds())
        out.push_back({{"what", kind.what}, {"count", kind.count}, {"examples", kind.examples}});
    return out;
}

}  // namespace assay
