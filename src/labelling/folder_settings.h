// The settings with which a folder of questions was made.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "assay/labelling/folder.h"
#include "core/database.h"
#include "labelling/screens.h"
#include "study/setting_rows.h"

namespace assay::labelling {

struct FolderSettings {
    Task task = Task::yes_no;
    std::string title;
    std::uint32_t votes = 0;   ///< number of annotators per question
    std::uint32_t screen = 0;  ///< number of images in a grid
    std::uint64_t seed = 0;
    std::filesystem::path images;  ///< absolute: the folder to which paths are relative
    std::string image_root;        ///< the same as stored, possibly relative to the folder
    std::string questions_hash;    ///< hash of the questions
    std::string said_hash;         ///< hash of the questions' texts about labels
    std::string texts_hash;        ///< hash of the annotators' texts about labels
};

}  // namespace assay::labelling

namespace assay {

template <>
inline constexpr auto description<labelling::FolderSettings> = describe<labelling::FolderSettings>({
    field<&labelling::FolderSettings::task>({}),
    field<&labelling::FolderSettings::title>({}),
    // The limit is the number that `replicate` accepts per image.
    field<&labelling::FolderSettings::votes>({.min = 1, .max = 512}),
    field<&labelling::FolderSettings::screen>({.min = 1, .max = labelling::most_cells}),
    field<&labelling::FolderSettings::seed>({}),
    field<&labelling::FolderSettings::image_root>({}),
    field<&labelling::FolderSettings::questions_hash>({}),
    field<&labelling::FolderSettings::said_hash>({}),
    field<&labelling::FolderSettings::texts_hash>({}),
});

}  // namespace assay

namespace assay::labelling {

/// The settings from options and defaults. Throws usage for values out of range.
FolderSettings settings_of(const FolderOptions& options);
void write_folder_settings(Database& database, const FolderSettings& settings,
                           std::uint64_t images);
/// Reads the settings. Throws bad_input, naming setting, value and what is allowed.
FolderSettings read_folder_settings(const Database& database);

}  // namespace assay::labelling
