#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "assay/data/dataset.h"
#include "assay/describe_result.h"
#include "assay/error.h"
#include "containers/csv.h"
#include "containers/described_csv.h"
#include "core/file.h"
#include "core/string_index.h"
#include "core/text.h"
#include "data/attributes.h"

namespace assay {

namespace {

struct ItemRow {
    std::string_view id, path;
    std::string labels;
    std::vector<AttributeValue> attributes;
};
ResultType result_type(ResultOf<ItemRow>) {
    static constexpr auto rows = describe_result<ItemRow>(
        {.name = "ItemRow", .columns = "id,path,labels,{name}=attributes.value"},
        {
            part<&ItemRow::id>({}),
            part<&ItemRow::path>({}),
            part<&ItemRow::labels>({}),
            part<&ItemRow::attributes>({}),
        });
    return rows;
}

}  // namespace

void write_items_csv(const Dataset& dataset, const std::filesystem::path& path) {
    std::string text;
    DescribedCsv<ItemRow> csv(text, {{}, {}, {}, attribute_names(dataset)});
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        csv.add({dataset.ids[i], dataset.paths.size() == 0 ? std::string_view() : dataset.paths[i],
                 i < dataset.labels.size() ? fmt::format("{}", fmt::join(dataset.labels[i], " "))
                                           : std::string(),
                 attributes_of(dataset, i)});
    }
    write_file_atomically(path, text);
}

namespace {

void parse_labels(std::string_view cell, const CsvReader& reader, std::vector<std::int32_t>& out) {
    out.clear();
    const char* at = cell.data();
    const char* const end = at + cell.size();
    while (at != end) {
        std::int32_t label = -1;
        const auto [stop, problem] = std::from_chars(at, end, label);
        if (problem != std::errc() || label < 0 ||
            (stop != end && (*stop != ' ' || stop + 1 == end))) {
            throw reader.error(fmt::format(
                "labels `{}` are not class numbers with one blank between them", shortened(cell)));
        }
        out.push_back(label);
        at = stop == end ? stop : stop + 1;
    }
}

}  // namespace

Dataset read_items_csv(const std::filesystem::path& path) {
    const MappedFile file(path);
    CsvReader reader(file.text(), path.filename().string(), {.delimiter = ','});
    const auto& columns = reader.columns();
    if (columns.size() < 3 || columns[0] != "id" || columns[1] != "path" ||
        columns[2] != "labels") {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: the first columns must be id,path,labels", path.string()));
    }
    Dataset dataset;
    for (std::size_t c = 3; c < columns.size(); ++c) dataset.attributes.push_back({columns[c], {}});
    bool has_paths = false;
    std::vector<std::int32_t> labels;
    while (reader.next()) {
        if (dataset.size() == std::numeric_limits<std::uint32_t>::max() - 1)
            throw reader.error("too many items");
        dataset.ids.append(reader[0]);
        dataset.paths.append(reader[1]);
        has_paths = has_paths || !reader[1].empty();
        parse_labels(reader[2], reader, labels);
        dataset.labels.append(labels);
        for (std::size_t c = 3; c < columns.size(); ++c)
            dataset.attributes[c - 3].values.append(reader[c]);
    }
    if (!has_paths) dataset.paths = {};
    StringIndex index(dataset.size(), [&](std::uint32_t i) { return dataset.ids[i]; });
    for (std::uint32_t i = 0; i < dataset.size(); ++i) {
        if (const auto earlier = index.insert(i)) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{}: id `{}` appears twice (items {} and {})", path.string(),
                                    shortened(dataset.ids[i]), *earlier, i));
        }
    }
    return dataset;
}

}  // namespace assay
