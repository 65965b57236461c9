// The data sets from which the nine dimensions are measured, and how a classifier is evaluated on
// each.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/data/dataset.h"

namespace assay::quality {

/// The purpose of a data set.
enum class Role : std::uint8_t {
    val,           ///< clean images: accuracy, calibration, class balance, the divisor of ratios
    r,             ///< ImageNet-R
    sketch,        ///< model-vs-human's sketches; with the model's own classes on request
    stylized,      ///< Stylized-ImageNet, as in model-vs-human
    edge,          ///< edges
    silhouette,    ///< filled outlines
    mixed_same,    ///< IN-9, background of another image of the class
    mixed_rand,    ///< IN-9, background of a random class
    cue_conflict,  ///< shape of one class, texture of another
};
inline constexpr std::size_t role_count = 9;

struct RoleFacts {
    Role role;
    std::string_view name;       ///< name in files and options: "mixed-same"
    std::string_view class_map;  ///< for ImageNet classifiers: "16-class"; "" means none
    std::uint64_t published;     ///< number of images behind the published values
    std::string_view is;         ///< one line
};
const std::array<RoleFacts, role_count>& role_facts();
inline const RoleFacts& facts_of(Role role) {
    return role_facts()[static_cast<std::size_t>(role)];
}
/// Finds a role by its name in files and options; '-' and '_' are equivalent. Throws usage with the
/// known names.
Role role_named(std::string_view name);

/// Opens the images of a role. Reads any folder or list that open_dataset() reads, and the
/// published layouts of these sets:
///
/// - model-vs-human (sketch, stylized): `0001_ske_dnn_0_airplane_00_airplane-0001-sketch-0.png`, in
///   one folder or in `dnn/session-1`. The category is in the fifth field of the file's name.
///
/// - edge, silhouette, cue-conflict: a folder for each of the 16 categories. The name
///   `airplane1-bear2.png` of cue-conflict gives the attributes `shape` and `texture`, and both
///   images' names (`shape_image`, `texture_image`).
///
/// - IN-9: `00_dog`, ..., `08_fish` (perhaps below `val`). The attribute `foreground` comes from
///   the file's name, with its folder if a name is in several folders.
///
/// Labels are classes of the classifier; in the published layouts, they are all classes that map to
/// the image's category. Throws as open_dataset() does.
Dataset open_role(Role role, const std::filesystem::path& path, const DatasetOptions& options,
                  std::vector<std::string>* notes = nullptr);

/// The class map for a classifier with these classes on the data set, whose labels are the
/// classifier's own classes. It is the role's class map for ImageNet's classes, and no value for
/// others. Throws bad_input with both numbers if the data set has another number of classes.
std::optional<ClassMap> question_of(Role role, const Dataset& dataset,
                                    const ClassList& model_classes);

}  // namespace assay::quality
