#include "labelling/folder_settings.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "core/paths.h"
#include "labelling/folder_images.h"
#include "labelling/shown_text.h"

namespace assay::labelling {
namespace {

constexpr std::uint32_t usual_votes = 5, usual_grid_votes = 10;

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
    settings.screen = options.screen;
    settings.seed = options.seed;
    settings.images = absolute_path(
        options.images.empty() ? absolute_path(options.questions).parent_path() : options.images);
    constexpr std::span<const Field> fields = description<FolderSettings>;
    study::take_settings(&settings, fields, study::settings_of_fields(&settings, fields), "");
    return settings;
}

void write_folder_settings(Database& database, const FolderSettings& settings,
                           std::uint64_t images) {
    auto text = study::settings_of_fields(&settings, description<FolderSettings>);
    text["images"] = fmt::to_string(images);
    for (const auto& [name, value] : text) study::write_setting(database, name, value, "");
}

FolderSettings read_folder_settings(const Database& database) {
    FolderSettings settings;
    study::take_settings(&settings, description<FolderSettings>, study::read_settings(database),
                         database.path().string());
    settings.images = image_root_of(settings.image_root, database.path().parent_path());
    return settings;
}

}  // namespace assay::labelling
