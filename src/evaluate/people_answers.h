// What people said images show, as model-vs-human publishes it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay {

struct PeoplesAnswer {
    std::string person, image, category, response;
    bool right = false, given = false;
};

/// From csv files, or the csv files of folders, with the columns of PeopleOptions::answers, in
/// their order. Throws bad_input: a folder without csv files, columns that are missing, no answer
/// at all.
std::vector<PeoplesAnswer> read_peoples_answers(const std::vector<std::filesystem::path>& paths);

}  // namespace assay
