#include "data/parquet/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "containers/at_place.h"
#include "containers/parquet/column_cursor.h"
#include "containers/parquet/value_text.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/class_aliases.h"
#include "data/label_columns.h"
#include "data/label_list.h"

namespace assay::parquet {
namespace {

/// Longer texts are not labels but whole files.
constexpr std::size_t longest_text = 4096;
constexpr std::int64_t most_classes = 1'000'000;
/// The file's name already gives the place of the label.
constexpr std::uint64_t no_row = UINT64_MAX;
constexpr std::uint64_t most_number = std::uint64_t{1} << 62;

bool is_text_of_labels(const Column& column) {
    return column.type == Physical::byte_array && column.meaning != Meaning::decimal;
}

[[noreturn]] void refuse_label(const std::string& file, std::uint64_t row, const std::string& why) {
    refuse(row == no_row ? fmt::format("{}: {}", file, why)
                         : fmt::format("{} row {}: {}", file, row, why));
}

/// Finds texts among a classifier's classes. Its aliases are built on demand.
class LabelLookup {
public:
    explicit LabelLookup(const ClassList& known) : known_(known) {}
    std::optional<std::int32_t> find(const std::string& text) {
        if (const auto c = known_.find(text)) return c;
        if (!aliases_) aliases_ = std::make_unique<ClassAliases>(known_);
        return aliases_->find(text);
    }

private:
    const ClassList& known_;
    std::unique_ptr<ClassAliases> aliases_;
};

std::int32_t class_among(LabelLookup& lookup, const ClassList& known, const std::string& text,
                         const std::string& file, std::uint64_t row) {
    const auto c = lookup.find(text);
    if (!c) refuse_label(file, row, unknown_label(text, known));
    return *c;
}

}  // namespace

std::int32_t Labels::value_of(std::int64_t number, const std::string& file, std::uint64_t row) {
    if (number == -1) return -1;
    const auto next = static_cast<std::int32_t>(values_.size());
    const auto [entry, fresh] = by_number_.emplace(number, next);
    if (!fresh) return entry->second;
    const std::int64_t end =
        names_.empty() ? most_classes : static_cast<std::int64_t>(names_.size());
    if (number < 0 || number >= end) {
        refuse_label(file, row,
                     fmt::format("label {} is out of range: {}, and -1 means none", number,
                                 names_.empty() ? fmt::format("0..{}", end - 1)
                                                : fmt::format("the {} classes are numbered 0..{}",
                                                              end, end - 1)));
    }
    values_.push_back({number, {}, file, row});
    return next;
}

std::int32_t Labels::value_of(std::string text, const std::string& file, std::uint64_t row) {
    const auto next = static_cast<std::int32_t>(values_.size());
    const auto known = by_text_.find(text);
    if (known != by_text_.end()) return known->second;
    if (text.empty() || text.size() > longest_text) {
        refuse_label(
            file, row,
            fmt::format("a label of {} bytes; 1 to {} are read", text.size(), longest_text));
    }
    values_.push_back({0, text, file, row});
    by_text_.emplace(std::move(text), next);
    return next;
}

void Labels::take_kind(bool texts, const std::string& file) {
    has_texts_ = has_texts_ || texts;
    has_numbers_ = has_numbers_ || !texts;
    if (has_texts_ && has_numbers_)
        refuse(fmt::format("{}: its labels are {}, but those of the files before it are not", file,
                           texts ? "texts" : "numbers"));
}

void Labels::add(std::int64_t number, const std::string& place) {
    take_kind(false, place);
    rows_.push_back(value_of(number, place, no_row));
}

void Labels::add(std::string text, const std::string& place) {
    take_kind(true, place);
    rows_.push_back(value_of(std::move(text), place, no_row));
}

std::int32_t Labels::value_of(const Column& column, std::span<const std::byte> bytes,
                              const std::string& file, std::uint64_t row) {
    if (is_text_of_labels(column)) {
        return value_of(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                        file, row);
    }
    std::string text;
    append_text(text, column, bytes);
    if (text.empty()) return -1;
    if (column.type == Physical::boolean) text = text == "True" ? "1" : "0";
    const std::string_view whole = whole_number(text);
    const bool negative = whole.starts_with('-');
    std::uint64_t number = 0;
    if (!parse_number(whole.substr(negative ? 1 : 0), number) || number > most_number)
        refuse_label(file, row, fmt::format("label {} is not a class number", text));
    const auto value = static_cast<std::int64_t>(number);
    return value_of(negative ? -value : value, file, row);
}

void Labels::add(const std::string& file, const SourceFile& source, const ColumnIndex& index,
                 const Column& column, std::uint64_t rows) {
    take_kind(is_text_of_labels(column), file);
    ColumnCursor cursor(source, index);
    for (std::uint64_t row = 0; row < rows; ++row) {
        const auto bytes = at_place([&] { return file; }, [&] { return cursor.next(); });
        rows_.push_back(bytes ? value_of(column, *bytes, file, row) : -1);
    }
}

Labels::Classes Labels::named(const ClassList& known) const {
    Classes out;
    const ClassList own = named_classes(names_);
    std::vector<std::int32_t> class_of;
    const bool unnamed = is_numbered(known) && known.names() == known.ids();
    if (known.empty() || (unnamed && known.size() == own.size())) {
        out.classes = own;
        out.note = fmt::format(
            "the files name {} classes{}", own.size(),
            unnamed
                ? "; assuming they are in the classifier's order, because its classes have no names"
                : "");
        for (const Value& value : values_)
            class_of.push_back(static_cast<std::int32_t>(value.number));
    } else {
        out.classes = known;
        out.note = fmt::format("the files name {} classes, matched to the classifier's {} by name",
                               own.size(), known.size());
        const auto places = places_in(known, own);
        LabelLookup lookup(known);
        for (const Value& value : values_) {
            const auto n = static_cast<std::size_t>(value.number);
            if (places) {
                class_of.push_back((*places)[n]);
            } else {
                const std::string& text = is_wnid(own.id(n)) ? own.id(n) : names_[n];
                class_of.push_back(class_among(lookup, known, text, value.file, value.row));
            }
        }
    }
    out.label_of = std::move(class_of);
    return out;
}

Labels::Classes Labels::numbered(const ClassList& known) const {
    Classes out;
    std::int64_t most = -1;
    for (const Value& value : values_) {
        most = std::max(most, value.number);
        if (!known.empty() && value.number >= static_cast<std::int64_t>(known.size()))
            refuse_label(value.file, value.row, unknown_label(std::to_string(value.number), known));
        out.label_of.push_back(static_cast<std::int32_t>(value.number));
    }
    out.classes = !known.empty() ? known : numbered_classes(static_cast<std::size_t>(most + 1));
    out.note = known.empty()
                   ? fmt::format("labels are numbers up to {}: {} classes", most, most + 1)
                   : "labels are the numbers of the classifier's classes";
    return out;
}

Labels::Classes Labels::texts(const ClassList& known) const {
    Classes out;
    out.classes = known;
    out.note = "labels are names, looked up among the classifier's classes";
    if (known.empty()) {
        std::vector<std::string> ids;
        for (const Value& value : values_) ids.push_back(value.text);
        const bool wnids = std::all_of(ids.begin(), ids.end(), [](const std::string& id) {
            return is_wnid(id) && imagenet_classes().find(id);
        });
        std::sort(ids.begin(), ids.end());
        out.note = wnids ? "labels are WordNet ids: ImageNet's 1000 classes"
                         : fmt::format("{} different labels; in byte order they are the classes",
                                       ids.size());
        out.classes = wnids ? imagenet_classes() : ClassList(std::move(ids));
    }
    LabelLookup lookup(out.classes);
    for (const Value& value : values_)
        out.label_of.push_back(class_among(lookup, out.classes, value.text, value.file, value.row));
    return out;
}

Labels::Classes Labels::resolve(const ClassList& known) const {
    if (values_.empty()) {
        const ClassList own = known.empty() && !names_.empty() ? named_classes(names_) : known;
        return {own, std::vector<std::int32_t>(rows_.size(), -1), "no row has a label"};
    }
    Classes out = has_texts_ ? texts(known) : names_.empty() ? numbered(known) : named(known);
    std::vector<std::int32_t> label_of(rows_.size(), -1);
    std::size_t without = 0;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        if (rows_[row] < 0) {
            ++without;
        } else {
            label_of[row] = out.label_of[static_cast<std::size_t>(rows_[row])];
        }
    }
    if (without > 0) out.note += fmt::format("; {} without a label", how_many(without, "row"));
    out.label_of = std::move(label_of);
    return out;
}

}  // namespace assay::parquet
