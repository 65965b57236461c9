// People's answers about what images show, in model-vs-human's format.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay {

struct PeoplesAnswer {
    std::string person, image, category, response;
    bool right = false, given = false;
};

/// Reads csv files, or the csv files of folders, with the columns of PeopleOptions::answers, in
/// their order. Throws bad_input for a folder without csv files, missing columns, or no answers.
std::vector<PeoplesAnswer> read_peoples_answers(const std::vector<std::filesystem::path>& paths);

}  // namespace assay
