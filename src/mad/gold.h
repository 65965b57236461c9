// Questions whose answers are known, from a file of the user's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "mad/question_rows.h"

namespace assay::mad {

struct GoldEntry {
    std::int64_t image = 0;  ///< of the data set, or negative
    std::string id, path;    ///< of a negative one: what its row holds (id: of a new one)
    std::uint16_t label = 0;
    bool yes = false;
    std::size_t line = 0;
};
/// Each question once. An image of the data set may be named by its id, its path, or as a file, be
/// it from the root or from the csv's folder. Images that are not of the data set get the numbers
/// that they have in the database, or the next free negative ones. Throws bad_input with the line:
/// an image that is neither of the data set nor a file, an unknown class or answer, two rows that
/// contradict each other (both lines).
std::vector<GoldEntry> read_gold(const Competition& competition, const std::filesystem::path& file);

struct GoldRound {
    std::uint64_t added = 0;   ///< questions that are asked for their known answers alone
    std::uint64_t known = 0;   ///< other questions whose answers are known now
    std::uint64_t gold = 0;    ///< questions with known answers, in all
    std::uint64_t wanted = 0;  ///< for the proportion of the settings
};
/// All entries that are questions already, and of the others as many as the proportion wants, by a
/// hash of each: more entries or questions add to those that were drawn before. Inside a
/// transaction. Throws bad_input: an entry contradicts an answer that is known already.
GoldRound draw_gold(Competition& competition, const Tally& tally,
                    const std::vector<GoldEntry>& entries, const std::filesystem::path& file,
                    QuestionWriter& writer);

}  // namespace assay::mad
