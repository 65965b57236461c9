// Questions with known answers, from a file of the user.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "mad/question_rows.h"

namespace assay::mad {

struct GoldEntry {
    std::int64_t image = 0;  ///< number in the data set, or negative
    std::string id, path;    ///< for a negative one: the contents of its row (id: of a new one)
    std::uint16_t label = 0;
    bool yes = false;
    std::size_t line = 0;
};
/// Each question once. An image of the data set may be named by its id or its path. It may also be
/// named as a file, relative to the root or to the csv's folder. Images outside the data set get
/// their numbers in the database, or the next free negative numbers. Throws bad_input with the
/// line: an image that is neither in the data set nor a file, or an unknown class or answer. Also
/// throws it for two contradicting rows (with both lines).
std::vector<GoldEntry> read_gold(const Competition& competition, const std::filesystem::path& file);

struct GoldRound {
    std::uint64_t added = 0;   ///< questions asked only for their known answers
    std::uint64_t known = 0;   ///< other questions that now have known answers
    std::uint64_t gold = 0;    ///< all questions with known answers
    std::uint64_t wanted = 0;  ///< number for the proportion in the settings
};
/// Uses all entries that are questions already, and as many other entries as the proportion
/// requires, chosen by their hashes. More entries or questions only add to earlier draws. Call
/// inside a transaction. Throws bad_input if an entry contradicts a known answer.
GoldRound draw_gold(Competition& competition, const Tally& tally,
                    const std::vector<GoldEntry>& entries, const std::filesystem::path& file,
                    QuestionWriter& writer);

}  // namespace assay::mad
