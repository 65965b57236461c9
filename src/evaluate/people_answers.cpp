#include "evaluate/people_answers.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/paths.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> answer_files(const std::vector<fs::path>& paths) {
    std::vector<fs::path> files;
    for (const fs::path& path : paths) {
        if (!is_folder(path)) {
            files.push_back(path);
            continue;
        }
        std::vector<fs::path> inside = entries_of(path);
        std::erase_if(inside, [](const fs::path& file) { return file.extension() != ".csv"; });
        if (inside.empty())
            throw Error(ErrorCode::bad_input,
                        fmt::format("the folder {} holds no csv", path.string()));
        files.insert(files.end(), inside.begin(), inside.end());
    }
    return files;
}

}  // namespace

std::vector<PeoplesAnswer> read_peoples_answers(const std::vector<fs::path>& paths) {
    std::vector<PeoplesAnswer> answers;
    for (const fs::path& file : answer_files(paths)) {
        const std::string text = read_text(file);
        CsvReader csv(text, file.filename().string());
        const std::size_t person = csv.column({"subj", "subject", "participant", "subject_id"}),
                          response = csv.column({"object_response", "response"}),
                          category = csv.column({"category"}),
                          image = csv.column({"imagename", "image_id", "image", "filename"});
        while (csv.next()) {
            PeoplesAnswer& a = answers.emplace_back();
            a.person = csv[person];
            a.image = csv[image];
            a.category = csv[category];
            a.response = csv[response];
            a.given = !csv[response].empty() && csv[response] != "na" && csv[response] != "NA";
            a.right = a.given && csv[response] == csv[category];
        }
    }
    if (answers.empty()) throw Error(ErrorCode::bad_input, "nobody answered anything");
    return answers;
}

}  // namespace assay
