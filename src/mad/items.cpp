#include "mad/items.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/csv.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/refuse.h"

namespace assay::mad {
namespace {

ImageRow item_row(std::uint64_t number, std::string_view id, std::string_view path) {
    return {.number = static_cast<std::int64_t>(number),
            .id = std::string(id),
            .path = std::string(path.empty() ? id : path)};
}

/// items.csv as it was recorded; none of its rows is kept.
class ItemsFile {
public:
    explicit ItemsFile(const Competition& competition)
        : path_(competition.folder() / "items.csv"), file_(path_), images_(competition.images()) {
        if (hash_bytes(file_.bytes()) != competition.impl().items_hash)
            refuse(fmt::format("{}: its bytes are not those that were recorded; restore it",
                               path_.string()));
    }

    /// Calls visit(number, line) of each item; only where no field is quoted, so that a line is an
    /// item.
    template <class Visit>
    void each_line(Visit&& visit) const {
        std::string_view text = file_.text();
        text.remove_prefix(std::min(text.size(), text.find('\n') + 1));
        std::uint64_t number = 0;
        for (; !text.empty(); ++number) {
            const std::size_t end = text.find('\n');
            if (number < images_) visit(number, text.substr(0, end));
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        }
        check_count(number);
    }
    /// Calls visit(number, reader) at each item.
    template <class Visit>
    void each_row(Visit&& visit) const {
        CsvReader reader(file_.text(), path_.string(), {.delimiter = ','});
        std::uint64_t number = 0;
        for (; reader.next(); ++number)
            if (number < images_) visit(number, reader);
        check_count(number);
    }
    bool has_quotes() const { return file_.text().find('"') != std::string_view::npos; }

private:
    void check_count(std::uint64_t items) const {
        if (items != images_)
            refuse(fmt::format("{}: it lists {} images, and the competition has {}", path_.string(),
                               items, images_));
    }
    std::filesystem::path path_;
    MappedFile file_;
    std::uint64_t images_;
};

}  // namespace

std::vector<ImageRow> image_rows(const Competition& competition,
                                 const std::vector<std::uint64_t>& numbers) {
    std::vector<ImageRow> rows;
    if (numbers.empty()) return rows;
    rows.reserve(numbers.size());
    if (competition.impl().dataset) {
        const Dataset& dataset = *competition.impl().dataset;
        for (const std::uint64_t n : numbers) {
            rows.push_back(
                item_row(n, dataset.ids[n],
                         dataset.paths.size() == 0 ? std::string_view() : dataset.paths[n]));
        }
        return rows;
    }
    const ItemsFile items(competition);
    auto next = numbers.begin();
    const auto take = [&](std::uint64_t number, const CsvReader& row) {
        rows.push_back(item_row(number, row[0], row[1]));
        ++next;
    };
    if (items.has_quotes()) {
        items.each_row([&](std::uint64_t number, const CsvReader& row) {
            if (next != numbers.end() && *next == number) take(number, row);
        });
    } else {
        items.each_line([&](std::uint64_t number, std::string_view line) {
            if (next == numbers.end() || *next != number) return;
            CsvReader row(line, "items.csv", {.delimiter = ',', .header = false});
            row.next();
            take(number, row);
        });
    }
    if (next != numbers.end())
        refuse(fmt::format("{}: there is no image {}", competition.folder().string(), *next));
    return rows;
}

void visit_ids(const Competition& competition,
               const std::function<void(std::uint64_t number, std::string_view id)>& visit) {
    if (competition.impl().dataset) {
        const Dataset& dataset = *competition.impl().dataset;
        for (std::uint64_t n = 0; n < dataset.size(); ++n) visit(n, dataset.ids[n]);
        return;
    }
    const ItemsFile items(competition);
    if (items.has_quotes()) {
        items.each_row([&](std::uint64_t number, const CsvReader& row) { visit(number, row[0]); });
        return;
    }
    items.each_line([&](std::uint64_t number, std::string_view line) {
        visit(number, line.substr(0, line.find(',')));
    });
}

}  // namespace assay::mad
