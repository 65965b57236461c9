// The cropped digits of SVHN (ufldl.stanford.edu/housenumbers): `X` of 32 x 32 x 3 x N and `y` of
// MATLAB, in which 10 is the digit 0.
#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "containers/mat5.h"
#include "containers/source_file.h"
#include "core/refuse.h"
#include "data/arrays/array_data.h"

namespace assay::arrays {

ArrayData read_mat(const std::filesystem::path& file, const ArrayWishes& wishes) {
    const bool unlabelled = wishes.label_column == "none";
    if (!wishes.list.empty() || !wishes.image_column.empty() ||
        (!wishes.label_column.empty() && !unlabelled))
        throw Error(ErrorCode::usage,
                    "a .mat file of SVHN holds its images `X` and labels `y`: omit --list, "
                    "--image-column and --label-column");
    const std::vector<Mat5Array> all = read_mat5(std::make_shared<const SourceFile>(file));
    const auto images = std::ranges::find(all, "X", &Mat5Array::name);
    const auto labels = std::ranges::find(all, "y", &Mat5Array::name);
    if (images == all.end() || images->type != Mat5Array::Type::uint8 ||
        images->shape.size() != 4 || images->shape[2] != 3)
        refuse("it is not a file of SVHN: it holds no `X` of H x W x 3 x N and uint8");
    const std::uint64_t height = images->shape[0], width = images->shape[1];
    ArrayData data;
    data.name = file.filename().string();
    data.images = {.bytes = images->bytes,
                   .begin = images->begin,
                   .count = images->shape[3],
                   .height = height,
                   .width = width,
                   .channels = 3,
                   .row_step = 1,
                   .column_step = height,
                   .channel_step = height * width};
    data.images.check();
    data.images.image_step = data.images.image_bytes();
    data.taken = "`X`";
    if (unlabelled || labels == all.end()) {
        data.labels.from = unlabelled ? "none (--label-column)" : "none (it holds no `y`)";
        return data;
    }
    if (labels->type == Mat5Array::Type::other) refuse("its labels `y` are not numbers");
    check_label_count("`y`", labels->count(), data.images.count);
    data.labels.numbers = labels->integers();
    for (std::int64_t& label : data.labels.numbers) {
        if (label < 1 || label > 10)
            refuse(fmt::format("its labels `y` hold {}; SVHN's are 1 to 10", label));
        label %= 10;
    }
    data.labels.from = "`y` (10 is the digit 0)";
    return data;
}

}  // namespace assay::arrays
