// Layouts with MAT-files.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "containers/mat.h"
#include "core/file.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/layouts/layout.h"
#include "data/layouts/mat_variable.h"

namespace assay::layouts {
namespace {

namespace fs = std::filesystem;

/// The names of the classes, which the data set's page numbers from 1.
constexpr std::string_view flower_names[] = {"pink primrose",
                                             "hard-leaved pocket orchid",
                                             "canterbury bells",
                                             "sweet pea",
                                             "english marigold",
                                             "tiger lily",
                                             "moon orchid",
                                             "bird of paradise",
                                             "monkshood",
                                             "globe thistle",
                                             "snapdragon",
                                             "colt's foot",
                                             "king protea",
                                             "spear thistle",
                                             "yellow iris",
                                             "globe-flower",
                                             "purple coneflower",
                                             "peruvian lily",
                                             "balloon flower",
                                             "giant white arum lily",
                                             "fire lily",
                                             "pincushion flower",
                                             "fritillary",
                                             "red ginger",
                                             "grape hyacinth",
                                             "corn poppy",
                                             "prince of wales feathers",
                                             "stemless gentian",
                                             "artichoke",
                                             "sweet william",
                                             "carnation",
                                             "garden phlox",
                                             "love in the mist",
                                             "mexican aster",
                                             "alpine sea holly",
                                             "ruby-lipped cattleya",
                                             "cape flower",
                                             "great masterwort",
                                             "siam tulip",
                                             "lenten rose",
                                             "barbeton daisy",
                                             "daffodil",
                                             "sword lily",
                                             "poinsettia",
                                             "bolero deep blue",
                                             "wallflower",
                                             "marigold",
                                             "buttercup",
                                             "oxeye daisy",
                                             "common dandelion",
                                             "petunia",
                                             "wild pansy",
                                             "primula",
                                             "sunflower",
                                             "pelargonium",
                                             "bishop of llandaff",
                                             "gaura",
                                             "geranium",
                                             "orange dahlia",
                                             "pink-yellow dahlia?",
                                             "cautleya spicata",
                                             "japanese anemone",
                                             "black-eyed susan",
                                             "silverbush",
                                             "californian poppy",
                                             "osteospermum",
                                             "spring crocus",
                                             "bearded iris",
                                             "windflower",
                                             "tree poppy",
                                             "gazania",
                                             "azalea",
                                             "water lily",
                                             "rose",
                                             "thorn apple",
                                             "morning glory",
                                             "passion flower",
                                             "lotus",
                                             "toad lily",
                                             "anthurium",
                                             "frangipani",
                                             "clematis",
                                             "hibiscus",
                                             "columbine",
                                             "desert-rose",
                                             "tree mallow",
                                             "magnolia",
                                             "cyclamen",
                                             "watercress",
                                             "canna lily",
                                             "hippeastrum",
                                             "bee balm",
                                             "ball moss",
                                             "foxglove",
                                             "bougainvillea",
                                             "camellia",
                                             "mallow",
                                             "mexican petunia",
                                             "bromelia",
                                             "blanket flower",
                                             "trumpet creeper",
                                             "blackberry lily"};

/// Requires a whole number of at least 1. Throws bad_input.
std::uint64_t count_in(double value, const std::string& where) {
    constexpr double most = 1e9;
    if (!(value >= 1 && value <= most) || value != std::floor(value))
        refuse(fmt::format("{}: {} is not a whole number from 1", where, value));
    return static_cast<std::uint64_t>(value);
}

std::size_t mat_class(double value, std::size_t count, const std::string& where) {
    const std::uint64_t number = count_in(value, where);
    if (number > count)
        refuse(fmt::format("{}: class {} is not a number from 1 to {}", where, number, count));
    return static_cast<std::size_t>(number - 1);
}

}  // namespace

MatValue mat_variable(std::span<const std::byte> bytes, const std::string& file,
                      std::string_view name, MatValue::Kind kind) {
    std::vector<MatValue> all = with_note("reading " + file, [&] { return read_mat(bytes); });
    std::vector<std::string> names;
    for (const MatValue& value : all) names.push_back(value.name);
    const auto found = std::ranges::find(all, name, &MatValue::name);
    if (found == all.end())
        refuse(fmt::format("{} has no variable `{}`{}", file, name, suggest(name, names)));
    if (found->kind != kind)
        refuse(
            fmt::format("{}: the variable `{}` is of a different kind than expected", file, name));
    return std::move(*found);
}

Items read_flowers(const Part& part) {
    Items items;
    items.file = part.file();
    const fs::path labels_file = part.folder / "imagelabels.mat";
    const std::string variable = part.split.name == "test"  ? "tstid"
                                 : part.split.name == "val" ? "valid"
                                                            : "trnid";
    const MatValue ids = mat_variable(read_file(items.file), items.file.string(), variable,
                                      MatValue::Kind::numbers),
                   labels = mat_variable(read_file(labels_file), labels_file.string(), "labels",
                                         MatValue::Kind::numbers);
    items.classes.assign(std::begin(flower_names), std::end(flower_names));
    for (std::size_t i = 0; i < ids.numbers.size(); ++i) {
        const std::string where = fmt::format("{}, {} {}", items.file.string(), variable, i + 1);
        const std::uint64_t image = count_in(ids.numbers[i], where);
        if (image > labels.numbers.size())
            refuse(fmt::format("{}: image {} has no label, because imagelabels.mat has only {}",
                               where, image, labels.numbers.size()));
        items.add(fmt::format("jpg/image_{:05}.jpg", image),
                  mat_class(labels.numbers[image - 1], items.classes.size(),
                            fmt::format("{}, label {}", labels_file.string(), image)),
                  0);
    }
    items.lines.clear();
    return items;
}

Items read_cars(const Part& part) {
    Items items;
    items.file = part.file();
    const fs::path meta = part.folder / "devkit/cars_meta.mat";
    const MatValue names = mat_variable(read_file(meta), meta.string(), "class_names",
                                        MatValue::Kind::cells),
                   cars = mat_variable(read_file(items.file), items.file.string(), "annotations",
                                       MatValue::Kind::structs);
    for (const MatValue& name : names.values) items.classes.push_back(name.text);
    const std::string folder = part.split.name == "test" ? "cars_test" : "cars_train";
    for (std::size_t i = 0; i < cars.structs(); ++i) {
        const std::string where = fmt::format("{}, annotation {}", items.file.string(), i + 1);
        const MatValue *const image = cars.field(i, "fname"), *const label = cars.field(i, "class");
        if (image == nullptr || image->text.empty())
            refuse(where + ": no field `fname` with a file name");
        if (label == nullptr || label->numbers.size() != 1)
            refuse(where + ": no field `class` with one number");
        items.add(fmt::format("{}/{}", folder, image->text),
                  mat_class(label->numbers[0], items.classes.size(), where), 0);
    }
    items.lines.clear();
    return items;
}

}  // namespace assay::layouts
