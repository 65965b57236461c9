#include "data/parquet/parquet_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "containers/at_place.h"
#include "containers/parquet/column_cursor.h"
#include "containers/parquet/huggingface_features.h"
#include "containers/parquet/parquet_csv.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/column_words.h"

namespace assay::parquet {
namespace {

namespace fs = std::filesystem;

/// A column of texts that may have the paths of images. Null if there is none, or if a column
/// contains the images.
const Column* column_of_paths(const File& file, const std::string& image_column) {
    const HuggingfaceFeatures features = parse_huggingface_features(file.footer().huggingface);
    const bool told = !image_column.empty();
    const Column* best = nullptr;
    for (const Column& column : file.footer().columns) {
        const std::string top = column.path.substr(0, column.path.find('.'));
        const bool declared = std::ranges::find(features.images, top) != features.images.end();
        const bool usual = declared || top == "image" || top == "img";
        const bool text = !column.nested && column.meaning == Meaning::text &&
                          column.type == Physical::byte_array;
        if (told ? column.path == image_column || top == image_column : usual)
            return text ? &column : nullptr;
        if (!told && text && column_word(column.path) == ColumnWord::image &&
            (best == nullptr || column_meaning(column.path).rank < column_meaning(best->path).rank))
            best = &column;
    }
    return best;
}

}  // namespace

TableText read_table(const fs::path& path, std::uint64_t most_bytes) {
    return at_place([&] { return path.filename().string(); },
                    [&] {
                        TableText table;
                        table.added_lines = 1;  // rows count from 1
                        const File file(path);
                        const auto left_out = write_csv(file, [&](std::string_view piece) {
                            if (piece.size() > most_bytes - table.text.size())
                                refuse(fmt::format("more than {} bytes of text", most_bytes));
                            table.text += piece;
                        });
                        table.left_out = fmt::format("{}", fmt::join(left_out, ", "));
                        return table;
                    });
}

bool lists_paths(const fs::path& path, const std::string& image_column) {
    return at_place([&] { return path.string(); },
                    [&] {
                        constexpr std::uint64_t enough = 100;
                        const File file(path);
                        const Column* const column = column_of_paths(file, image_column);
                        if (column == nullptr) return false;
                        const std::size_t number = column->number;
                        const std::vector<ColumnIndex> index = file.index({&number, 1});
                        ColumnCursor cursor(file.source(), index.front());
                        for (std::uint64_t row = 0; row < std::min(enough, index.front().rows());
                             ++row) {
                            const auto value = cursor.next();
                            if (value && !value->empty())
                                return has_image_extension(
                                    {reinterpret_cast<const char*>(value->data()), value->size()});
                        }
                        return false;
                    });
}

ClassList named_label_classes(const fs::path& path, const std::string& label_column) {
    return at_place([&] { return path.string(); },
                    [&] {
                        const HuggingfaceFeatures features =
                            parse_huggingface_features(File(path).footer().huggingface);
                        for (const auto& [column, names] : features.labels) {
                            const bool chosen = label_column.empty() ? features.labels.size() == 1
                                                                     : column_key(column) ==
                                                                           column_key(label_column);
                            if (chosen && !names.empty()) return named_classes(names);
                        }
                        return ClassList();
                    });
}

}  // namespace assay::parquet
