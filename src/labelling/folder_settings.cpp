#include "labelling/folder_settings.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"
#include "labelling/folder_images.h"
#include "labelling/screens.h"
#include "labelling/shown_text.h"
#include "study/setting_rows.h"

namespace assay::labelling {
namespace {

/// As many as `replicate` takes of an image.
constexpr std::uint32_t most_votes = 512;
constexpr std::uint32_t usual_votes = 5, usual_grid_votes = 10;

void check_range(std::string_view name, std::uint64_t value, std::uint64_t least,
                 std::uint64_t most) {
    if (value < least || value > most)
        throw Error(ErrorCode::usage,
                    fmt::format("{} is {}; allowed: {} to {}", name, value, least, most));
}

class FolderSettingsReader {
public:
    FolderSettingsReader(const Database& database)
        : text_(study::read_settings(database)), file_(database.path().string()) {}
    const std::string& of(const std::string& name) const {
        return study::setting_of(text_, name, file_);
    }
    std::uint64_t count(const std::string& name, std::uint64_t least, std::uint64_t most) const {
        std::uint64_t value = 0;
        if (!parse_number(of(name), value) || value < least || value > most) {
            refuse(fmt::format("{}: the setting {} is `{}`; allowed: {} to {}", file_, name,
                               shortened(of(name)), least, most));
        }
        return value;
    }
    Task task() const {
        try {
            return task_named(of("task"));
        } catch (const Error& error) {
            refuse(fmt::format("{}: {}", file_, error.message()));
        }
    }

private:
    std::map<std::string, std::string> text_;
    std::string file_;
};

}  // namespace

FolderSettings settings_of(const FolderOptions& options) {
    FolderSettings settings;
    settings.task = options.task;
    settings.title = on_one_line(options.title);
    if (settings.title.empty()) settings.title = on_one_line(options.questions.stem().string());
    if (const std::string fault = fault_of_text(settings.title, most_bytes_of_ids); !fault.empty())
        throw Error(ErrorCode::usage, fmt::format("the title {}", fault));
    settings.votes = options.votes != 0           ? options.votes
                     : options.task == Task::grid ? usual_grid_votes
                                                  : usual_votes;
    check_range("the number of annotators of each question", settings.votes, 1, most_votes);
    settings.screen = options.screen;
    check_range("the number of images of a grid", settings.screen, 1, most_cells);
    settings.seed = options.seed;
    settings.images = absolute_path(
        options.images.empty() ? absolute_path(options.questions).parent_path() : options.images);
    return settings;
}

void write_folder_settings(Database& database, const FolderSettings& settings,
                           std::uint64_t images) {
    const std::map<std::string, std::string> text = {
        {"task", std::string(name_of(settings.task))},
        {"title", settings.title},
        {"votes", fmt::to_string(settings.votes)},
        {"screen", fmt::to_string(settings.screen)},
        {"seed", fmt::to_string(settings.seed)},
        {"images", fmt::to_string(images)},
        {"image_root", settings.image_root},
        {"questions_hash", settings.questions_hash},
        {"said_hash", settings.said_hash},
        {"texts_hash", settings.texts_hash},
    };
    for (const auto& [name, value] : text) study::write_setting(database, name, value, "");
}

FolderSettings read_folder_settings(const Database& database) {
    const FolderSettingsReader read(database);
    FolderSettings settings;
    settings.task = read.task();
    settings.title = read.of("title");
    settings.votes = static_cast<std::uint32_t>(read.count("votes", 1, most_votes));
    settings.screen = static_cast<std::uint32_t>(read.count("screen", 1, most_cells));
    settings.seed = read.count("seed", 0, UINT64_MAX);
    settings.image_root = read.of("image_root");
    settings.images = image_root_of(settings.image_root, database.path().parent_path());
    settings.questions_hash = read.of("questions_hash");
    settings.said_hash = read.of("said_hash");
    settings.texts_hash = read.of("texts_hash");
    return settings;
}

}  // namespace assay::labelling
