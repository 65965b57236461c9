// Answers and times in the spellings of people and tools.
#include <fmt/format.h>

#include "core/refuse.h"
#include "core/text.h"
#include "data/crowd/crowd.h"
#include "mad/answer_readers.h"
#include "study/times.h"

namespace assay::mad {

std::optional<Answer> answer_named(std::string_view text) {
    const auto said = crowd::said_by(text);
    if (!said) return std::nullopt;
    return *said == crowd::Said::yes  ? Answer::yes
           : *said == crowd::Said::no ? Answer::no
                                      : Answer::cannot_say;
}

std::string utc_time_in(std::string_view text, const std::string& where) {
    if (text.empty()) return "";
    const std::optional<std::string> utc = study::utc_moment_of(text);
    if (!utc) {
        refuse(fmt::format("{}: the time is `{}`; allowed: as 2026-11-23T01:02:03Z", where,
                           shortened(text)));
    }
    return *utc;
}

}  // namespace assay::mad
