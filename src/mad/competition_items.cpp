#include "mad/competition_items.h"

#include <fmt/format.h>

#include <algorithm>

#include "containers/csv.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/refuse.h"

namespace assay::mad {
namespace {

constexpr std::uint64_t lines_apart = 4096;

ImageRow item_row(std::uint64_t number, std::string_view id, std::string_view path) {
    return {.number = static_cast<std::int64_t>(number),
            .id = std::string(id),
            .path = std::string(path.empty() ? id : path)};
}

}  // namespace

/// Reads the recorded items.csv without keeping its rows.
class ItemsFile {
public:
    explicit ItemsFile(const Competition& competition)
        : path_(competition.folder() / "items.csv"), file_(path_), images_(competition.images()) {
        if (hash_bytes(file_.bytes()) != competition.impl().items_hash)
            refuse(fmt::format("{}: its bytes differ from the recorded ones; restore it",
                               path_.string()));
    }

    /// Calls visit(number, line) for each item from `number` on, whose line begins at `at`, until
    /// it returns false. Requires that no field is quoted, so that each line is an item.
    template <class Visit>
    void each_line(std::uint64_t number, std::size_t at, Visit&& visit) const {
        for (std::string_view text = file_.text().substr(at); !text.empty(); ++number) {
            const std::size_t end = text.find('\n');
            if (!visit(number, text.substr(0, end))) return;
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        }
    }
    std::size_t first_line() const {
        return std::min(file_.text().size(), file_.text().find('\n') + 1);
    }
    std::size_t place_of(std::string_view line) const {
        return static_cast<std::size_t>(line.data() - file_.text().data());
    }
    /// Calls visit(number, reader) for each item.
    template <class Visit>
    void each_row(Visit&& visit) const {
        CsvReader reader(file_.text(), path_.string(), {.delimiter = ','});
        std::uint64_t number = 0;
        for (; reader.next(); ++number)
            if (number < images_) visit(number, reader);
        check_count(number);
    }
    bool has_quotes() const { return file_.text().find('"') != std::string_view::npos; }

    void check_count(std::uint64_t items) const {
        if (items != images_)
            refuse(fmt::format("{}: it lists {} images, but the competition has {}", path_.string(),
                               items, images_));
    }

private:
    std::filesystem::path path_;
    MappedFile file_;
    std::uint64_t images_;
};

struct ItemReader::Impl {
    ItemsFile items;
    bool quoted;
    std::vector<std::size_t> lines;  ///< the positions of every 4,096th line

    explicit Impl(const Competition& competition) : items(competition), quoted(items.has_quotes()) {
        if (quoted) return;
        std::uint64_t count = 0;
        items.each_line(0, items.first_line(), [&](std::uint64_t number, std::string_view line) {
            if (number % lines_apart == 0) lines.push_back(items.place_of(line));
            ++count;
            return true;
        });
        items.check_count(count);
    }
};

ItemReader::ItemReader(const Competition& competition)
    : impl_(std::make_unique<Impl>(competition)) {}
ItemReader::~ItemReader() = default;
ItemReader::ItemReader(ItemReader&&) noexcept = default;

std::vector<ImageRow> ItemReader::rows(const std::vector<std::uint64_t>& numbers) const {
    std::vector<ImageRow> rows;
    rows.reserve(numbers.size());
    if (impl_->quoted) {
        auto next = numbers.begin();
        impl_->items.each_row([&](std::uint64_t number, const CsvReader& row) {
            if (next == numbers.end() || *next != number) return;
            rows.push_back(item_row(number, row[0], row[1]));
            ++next;
        });
    } else {
        for (const std::uint64_t wanted : numbers) {
            const std::uint64_t before = wanted / lines_apart;
            if (before >= impl_->lines.size()) break;
            impl_->items.each_line(before * lines_apart, impl_->lines[before],
                                   [&](std::uint64_t number, std::string_view line) {
                                       if (number < wanted) return true;
                                       CsvReader row(line, "items.csv",
                                                     {.delimiter = ',', .header = false});
                                       row.next();
                                       rows.push_back(item_row(number, row[0], row[1]));
                                       return false;
                                   });
        }
    }
    if (rows.size() != numbers.size())
        refuse(fmt::format("items.csv: there is no image {}", numbers[rows.size()]));
    return rows;
}

void visit_items(const Competition& competition,
                 const std::function<void(std::uint64_t number, std::string_view id,
                                          std::string_view path)>& visit) {
    const ItemsFile items(competition);
    const auto item = [&](std::uint64_t number, std::string_view id, std::string_view path) {
        visit(number, id, path.empty() ? id : path);
    };
    if (items.has_quotes()) {
        items.each_row(
            [&](std::uint64_t number, const CsvReader& row) { item(number, row[0], row[1]); });
        return;
    }
    std::uint64_t count = 0;
    items.each_line(0, items.first_line(), [&](std::uint64_t number, std::string_view line) {
        const std::string_view id = line.substr(0, line.find(','));
        const std::string_view rest = line.substr(std::min(line.size(), id.size() + 1));
        item(number, id, rest.substr(0, rest.find(',')));
        ++count;
        return true;
    });
    items.check_count(count);
}

bool visit_attribute(const Competition& competition, std::string_view attribute,
                     const std::function<void(std::uint64_t number, std::string_view id,
                                              std::string_view value)>& visit) {
    const std::filesystem::path path = competition.folder() / "items.csv";
    if (!std::filesystem::exists(path)) return false;
    std::size_t column = 0;
    {
        const MappedFile file(path);
        const CsvReader header(file.text(), path.string(), {.delimiter = ','});
        const std::vector<std::string>& columns = header.columns();
        column = static_cast<std::size_t>(
            std::find(columns.begin() + std::min<std::ptrdiff_t>(3, std::ssize(columns)),
                      columns.end(), attribute) -
            columns.begin());
        if (column == columns.size()) return false;
    }
    const ItemsFile items(competition);
    items.each_row(
        [&](std::uint64_t number, const CsvReader& row) { visit(number, row[0], row[column]); });
    return true;
}

void visit_ids(const Competition& competition,
               const std::function<void(std::uint64_t number, std::string_view id)>& visit) {
    visit_items(competition, [&](std::uint64_t number, std::string_view id, std::string_view) {
        visit(number, id);
    });
}

}  // namespace assay::mad
