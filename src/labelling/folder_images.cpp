#include "labelling/folder_images.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/labelling/folder.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "study/setting_rows.h"
#include "study/study_file.h"

namespace assay::labelling {
namespace {

using study::without_slash;

/// Resolves symbolic links in the existing part of the path, because "../images" next to a link is
/// elsewhere.
std::filesystem::path without_links(const std::filesystem::path& path) {
    std::error_code problem;
    const std::filesystem::path real = std::filesystem::weakly_canonical(path, problem);
    return problem ? path : without_slash(real);
}

/// True if the path is the folder or below it. Both must be absolute.
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder) {
    const std::filesystem::path way = path.lexically_relative(folder);
    return !way.empty() && *way.begin() != "..";
}

}  // namespace

bool is_labelling_folder(const std::filesystem::path& folder) {
    return study::is_study(folder, study::StudyKind::questions);
}

std::string kept_image_root(const std::filesystem::path& root, const std::filesystem::path& folder,
                            const std::filesystem::path& whole) {
    const std::filesystem::path images = without_slash(root);
    // A link to images moves with the folder that contains it.
    const std::filesystem::path real = without_links(images.parent_path()) / images.filename();
    const std::filesystem::path base = without_links(without_slash(folder));
    for (const std::filesystem::path& around :
         {without_links(without_slash(whole)), base.parent_path()})
        if (is_inside(base, around) && is_inside(real, around))
            return real.lexically_relative(base).string();
    return images.string();
}

std::filesystem::path image_root_of(const std::string& kept, const std::filesystem::path& folder) {
    const std::filesystem::path root(kept);
    return root.is_absolute() ? root : without_slash(without_links(without_slash(folder)) / root);
}

void change_image_root(const std::filesystem::path& folder, const std::filesystem::path& root,
                       const std::filesystem::path& whole) {
    if (!is_folder(root))
        refuse(fmt::format("{}: there is no such folder of images", root.string()));
    Database database =
        study::open_study(folder, study::StudyKind::questions, Database::Access::write);
    const std::string kept = kept_image_root(root, folder, whole);
    Transaction all(database);
    if (read_folder_settings(database).image_root == kept) return;
    study::write_setting(database, "image_root", kept, "");
    all.commit();
}

std::string all_images_missing(const Database& database, const FolderSettings& settings,
                               const std::filesystem::path& folder) {
    Statement row = database.prepare("SELECT path FROM image ORDER BY number LIMIT 20");
    std::uint64_t looks = 0;
    std::filesystem::path first;
    for (; row.step(); ++looks) {
        const std::filesystem::path path = settings.images / row.text(0);
        std::error_code none;
        if (std::filesystem::exists(path, none)) return "";
        if (looks == 0) first = path;
    }
    if (looks == 0) return "";
    return fmt::format(
        "none of the first {} exists, the first would be {}; relative paths start at {}: to use "
        "another folder, type `assay serve {} --images DIR`",
        how_many(looks, "image file"), shortened(first.string(), 200), settings.images.string(),
        shell_word(folder.string()));
}

void set_image_root(const std::filesystem::path& folder, const std::filesystem::path& root) {
    change_image_root(folder, root, without_slash(folder).parent_path());
}

}  // namespace assay::labelling
