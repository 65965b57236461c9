#include "containers/arrow/arrow_csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <map>

#include "containers/arrow/table_columns.h"
#include "containers/csv.h"
#include "containers/parquet/huggingface_features.h"
#include "containers/parquet/parquet_csv.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay::arrow {
namespace {

class ArrowCsv {
public:
    explicit ArrowCsv(std::span<const std::byte> file)
        : file_(file),
          stream_(StreamReader::open(MemorySource(file))),
          features_(parquet::parse_huggingface_features(stream_.metadata("huggingface"))) {}

    std::vector<std::string> write(const std::function<void(std::string_view)>& piece) {
        const std::vector<std::string> left_out = choose();
        CsvWriter csv(text_);
        for (const StreamField* field : wanted_)
            csv.field(field->name == parquet::index_of_pandas ? "" : field->name);
        csv.end_row();
        for (std::size_t i = 0; i < stream_.batches().size(); ++i) {
            take_dictionaries(i);
            write_batch(stream_.batches()[i], csv, piece);
        }
        piece(text_);
        return left_out;
    }

private:
    /// Fills wanted_ and names_.
    std::vector<std::string> choose() {
        std::vector<std::string> left_out;
        bool any = false;  // a column without values takes no bytes, so nothing limits its rows
        for (const StreamField& field : stream_.fields()) {
            const StreamField& values = field.type == StreamField::Type::dictionary
                                            ? stream_.values(field.dictionary)
                                            : field;
            if (!TableColumn::has_text(values)) {
                left_out.push_back(fmt::format("{} ({})", shortened(field.name), values.called));
                continue;
            }
            any = any || field.type != StreamField::Type::null;
            const auto named = features_.labels.find(field.name);
            const bool is_number = field.type == StreamField::Type::integer;
            wanted_.push_back(&field);
            names_.push_back(is_number && named != features_.labels.end() ? &named->second
                                                                          : nullptr);
        }
        if (!any)
            refuse(fmt::format("no column contains text or numbers; the columns are: {}",
                               fmt::join(left_out, ", ")));
        return left_out;
    }

    /// Reads the dictionaries that batch number `batch` needs and those before did not.
    void take_dictionaries(std::size_t batch) {
        constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
        const auto& all = stream_.dictionaries();
        for (; taken_ < all.size() && all[taken_].before <= batch; ++taken_) {
            const StreamDictionary& one = all[taken_];
            const StreamField& field = stream_.values(one.dictionary);
            if (!TableColumn::has_text(field)) continue;
            DictionaryTexts& texts = dictionaries_[one.dictionary];
            std::uint64_t& bytes = dictionary_bytes_[one.dictionary];
            if (!one.more) {
                texts.clear();
                bytes = 0;
            }
            BatchBuffers buffers(file_, one.batch);
            const TableColumn column(buffers, field, nullptr);
            for (std::uint64_t row = 0; row < one.batch.rows; ++row) {
                std::string text;
                const bool there = column.append(text, row);
                // A damaged file could repeat one text in each row.
                bytes += sizeof(texts[0]) + text.size();
                if (bytes > most_bytes)
                    refuse(fmt::format("a dictionary takes more than {} MiB", most_bytes >> 20U));
                texts.push_back(there ? std::optional(std::move(text)) : std::nullopt);
            }
        }
    }

    void write_batch(const StreamBatch& batch, CsvWriter& csv,
                     const std::function<void(std::string_view)>& piece) {
        constexpr std::size_t enough = std::size_t{1} << 20;
        BatchBuffers buffers(file_, batch);
        std::vector<TableColumn> columns;
        for (const StreamField* field : wanted_) {
            const auto known = dictionaries_.find(field->dictionary);
            columns.emplace_back(buffers, *field,
                                 known == dictionaries_.end() ? nullptr : &known->second);
        }
        for (std::uint64_t row = 0; row < batch.rows; ++row) {
            for (std::size_t i = 0; i < columns.size(); ++i) {
                cell_.clear();
                const bool there = columns[i].append(cell_, row);
                csv.field(
                    there && names_[i] != nullptr && !names_[i]->empty()
                        ? parquet::class_name(*names_[i], cell_, rows_ + row, wanted_[i]->name)
                        : cell_);
            }
            csv.end_row();
            if (text_.size() < enough) continue;
            piece(text_);
            text_.clear();
        }
        rows_ += batch.rows;
    }

    std::span<const std::byte> file_;
    StreamReader stream_;
    parquet::HuggingfaceFeatures features_;
    std::vector<const StreamField*> wanted_;
    std::vector<const std::vector<std::string>*> names_;  ///< names of the classes, or null
    std::map<std::uint64_t, DictionaryTexts> dictionaries_;
    std::map<std::uint64_t, std::uint64_t> dictionary_bytes_;
    std::size_t taken_ = 0;
    std::uint64_t rows_ = 0;
    std::string text_, cell_;
};

}  // namespace

bool has_table_ending(std::string_view ending) {
    return ending == ".arrow" || ending == ".feather" || ending == ".ipc";
}

std::vector<std::string> write_csv(std::span<const std::byte> file,
                                   const std::function<void(std::string_view)>& piece) {
    constexpr std::string_view magic_of_version_1 = "FEA1";
    if (file.size() >= magic_of_version_1.size() &&
        std::memcmp(file.data(), magic_of_version_1.data(), magic_of_version_1.size()) == 0)
        refuse("it is of version 1 of Feather; version 2 is read");
    return ArrowCsv(file).write(piece);
}

}  // namespace assay::arrow
