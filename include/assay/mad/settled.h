// The settled answers of a competition, for other measurements on the same images.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay::mad {

/// A question whose outcome is settled, by annotators or because its answer was known (gold).
struct SettledQuestion {
    std::string image, label;  ///< ids
    bool yes = false;
    bool unclear = false;  ///< at least four of five annotators could not say
};

/// Questions about images of the data set, by image, then label. Outcomes are decided by majority,
/// and blocked annotators do not count. Cost: one read of questions and answers. Throws as
/// Competition::open().
std::vector<SettledQuestion> settled_questions(const std::filesystem::path& competition);

}  // namespace assay::mad
