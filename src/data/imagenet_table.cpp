#include "data/imagenet_table.h"

#include <charconv>
#include <string_view>

#include "containers/csv.h"

namespace assay {
namespace {

constexpr std::string_view table_text =
#include "imagenet_classes.inc"  // imagenet_classes.csv as a string literal, made by CMakeLists.txt
    ;

ImagenetTable parse_table() {
    ImagenetTable table;
    std::vector<std::string> ids, names;
    CsvReader reader(table_text, "imagenet_classes.csv", {.delimiter = ','});
    while (reader.next()) {
        ids.emplace_back(reader[0]);
        names.emplace_back(reader[1]);
        std::int32_t in9 = -1;
        std::from_chars(reader[2].data(), reader[2].data() + reader[2].size(), in9);
        table.in9.push_back(in9);
        table.sixteen.emplace_back(reader[3]);
        table.subsets.emplace_back(reader[4]);
        table.lemmas.emplace_back(reader[5].empty() ? reader[1] : reader[5]);
    }
    table.classes = ClassList(std::move(ids), std::move(names));
    return table;
}

}  // namespace

const ImagenetTable& imagenet_table() {
    static const ImagenetTable table = parse_table();
    return table;
}

const ClassList& imagenet_classes() {
    return imagenet_table().classes;
}

}  // namespace assay
