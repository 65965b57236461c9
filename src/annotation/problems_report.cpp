#include "annotation/problems_report.h"

#include <fmt/format.h>

#include "assay/describe_result.h"
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

ResultType result_type(ResultOf<VoteProblems::Kind>) {
    using Of = VoteProblems::Kind;
    static constexpr auto rows = describe_result<Of>(
        {.name = "VoteProblem", .help = "Rows of the votes that cannot be used, and why"},
        {part<&Of::what>({}), part<&Of::count>({}), part<&Of::examples>({})});
    return rows;
}

}  // namespace assay
