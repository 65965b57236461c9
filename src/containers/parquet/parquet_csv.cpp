#include "containers/parquet/parquet_csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "containers/csv.h"
#include "containers/parquet/column_cursor.h"
#include "containers/parquet/huggingface_features.h"
#include "containers/parquet/value_text.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay::parquet {
namespace {

class ParquetCsv {
public:
    explicit ParquetCsv(const File& file)
        : file_(file), features_(parse_huggingface_features(file.footer().huggingface)) {}

    std::vector<std::string> write(const std::function<void(std::string_view)>& piece) {
        constexpr std::size_t enough = std::size_t{1} << 20;
        const std::vector<std::string> left_out = choose();
        const std::vector<ColumnIndex> indices = file_.index(wanted_);
        std::vector<ColumnCursor> cursors;
        for (const ColumnIndex& index : indices) cursors.emplace_back(file_.source(), index);
        std::string text;
        CsvWriter csv(text);
        for (const std::size_t c : wanted_) {
            const std::string& name = file_.footer().columns[c].path;
            csv.field(name == index_of_pandas ? "" : name);
        }
        csv.end_row();
        for (std::uint64_t row = 0; row < file_.footer().rows; ++row) {
            for (std::size_t i = 0; i < cursors.size(); ++i) csv.field(cell(i, cursors[i], row));
            csv.end_row();
            if (text.size() < enough) continue;
            piece(text);
            text.clear();
        }
        piece(text);
        return left_out;
    }

private:
    /// Fills wanted_ and names_.
    std::vector<std::string> choose() {
        std::vector<std::string> left_out;
        for (const Column& column : file_.footer().columns) {
            const std::string why = column.repeated ? "a list"
                                    : column.nested ? "a structure"
                                                    : why_no_text(column);
            if (!why.empty()) {
                left_out.push_back(fmt::format("{} ({})", shortened(column.path), why));
                continue;
            }
            wanted_.push_back(column.number);
            const bool numbers = column.type == Physical::int32 || column.type == Physical::int64;
            const auto named = features_.labels.find(column.path);
            names_.push_back(numbers && named != features_.labels.end() ? &named->second : nullptr);
        }
        if (wanted_.empty()) {
            refuse(fmt::format("no column contains text or numbers; the columns are: {}",
                               fmt::join(left_out, ", ")));
        }
        return left_out;
    }

    std::string_view cell(std::size_t i, ColumnCursor& cursor, std::uint64_t row) {
        cell_.clear();
        const auto value = cursor.next();
        if (!value) return cell_;
        const Column& column = file_.footer().columns[wanted_[i]];
        append_text(cell_, column, *value);
        if (names_[i] == nullptr || names_[i]->empty()) return cell_;
        return class_name(*names_[i], cell_, row, column.path);
    }

    const File& file_;
    HuggingfaceFeatures features_;
    std::vector<std::size_t> wanted_;
    std::vector<const std::vector<std::string>*> names_;  ///< names of the classes, or null
    std::string cell_;
};

}  // namespace

std::vector<std::string> write_csv(const File& file,
                                   const std::function<void(std::string_view)>& piece) {
    return ParquetCsv(file).write(piece);
}

}  // namespace assay::parquet
