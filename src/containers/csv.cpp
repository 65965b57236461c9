#include "containers/csv.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::size_t max_columns = 65'536;
constexpr std::size_t max_field = std::size_t{16} << 20;

std::string folded(std::string_view name) {
    while (!name.empty() && (name.front() == ' ' || name.front() == '\t')) name.remove_prefix(1);
    while (!name.empty() && (name.back() == ' ' || name.back() == '\t')) name.remove_suffix(1);
    std::string out(name);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

char delimiter_of(std::string_view text) {
    std::size_t commas = 0, tabs = 0, semicolons = 0;
    bool quoted = false;
    for (const char c : text.substr(0, max_field)) {
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if (c == '\n' || c == '\r') break;
        commas += c == ',';
        tabs += c == '\t';
        semicolons += c == ';';
    }
    // in many countries, Excel writes semicolons
    if (commas + tabs == 0 && semicolons > 0) return ';';
    return tabs > commas ? '\t' : ',';
}

}  // namespace

CsvReader::CsvReader(std::string_view text, std::string source, CsvOptions options)
    : text_(text), source_(std::move(source)) {
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) {
        throw Error(ErrorCode::bad_input, source_ + ": the text is UTF-16; save it as UTF-8");
    }
    if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
    delimiter_ = options.delimiter != '\0' ? options.delimiter : delimiter_of(text_);
    if (!options.header) return;
    if (!read_row())
        throw Error(ErrorCode::bad_input,
                    source_ + ": the table is empty; expected a row of column names");
    columns_.reserve(fields_.size());
    for (std::size_t c = 0; c < fields_.size(); ++c) columns_.emplace_back((*this)[c]);
}

std::optional<std::size_t> CsvReader::find_column(
    std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
        const std::string wanted = folded(name);
        std::optional<std::size_t> found;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            if (folded(columns_[c]) != wanted) continue;
            if (found)
                throw Error(ErrorCode::bad_input,
                            fmt::format("{}: two columns are named {}", source_, name));
            found = c;
        }
        if (found) return found;
    }
    return std::nullopt;
}

std::size_t CsvReader::column(std::initializer_list<std::string_view> names) const {
    if (const auto found = find_column(names)) return *found;
    constexpr std::size_t shown = 12;
    const auto end =
        columns_.begin() + static_cast<std::ptrdiff_t>(std::min(shown, columns_.size()));
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: no column named {}; columns: {}{}", source_,
                            fmt::join(names, " or "), fmt::join(columns_.begin(), end, ", "),
                            columns_.size() > shown ? ", ..." : ""));
}

std::string CsvReader::where() const {
    return fmt::format("{} line {}", source_, row_line_);
}

Error CsvReader::error(std::string_view message) const {
    return Error(ErrorCode::bad_input, fmt::format("{}: {}", where(), message));
}

bool CsvReader::next() {
    if (!read_row()) return false;
    if (!columns_.empty() && fields_.size() != columns_.size()) {
        throw error(fmt::format("{} fields; the header has {}", fields_.size(), columns_.size()));
    }
    return true;
}

bool CsvReader::at_row_end() const {
    return at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '\r';
}

void CsvReader::end_line() {
    if (at_ == text_.size()) return;
    if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
    ++at_;
    ++line_;
}

bool CsvReader::read_row() {
    fields_.clear();
    scratch_.clear();
    while (at_ < text_.size() && at_row_end()) end_line();
    row_line_ = line_;
    if (at_ == text_.size()) return false;
    while (true) {
        if (fields_.size() == max_columns)
            throw error(fmt::format("more than {} fields", max_columns));
        if (at_ < text_.size() && text_[at_] == '"') {
            read_quoted();
        } else {
            read_plain();
        }
        if (at_row_end()) break;
        ++at_;  // a delimiter here means that one more field follows, perhaps an empty one at the
                // end of the text
    }
    end_line();
    return true;
}

void CsvReader::read_plain() {
    const std::size_t begin = at_;
    while (!at_row_end() && text_[at_] != delimiter_) {
        if (text_[at_] == '\0') throw error("a zero byte; this is not a text table");
        ++at_;
    }
    if (at_ - begin > max_field)
        throw error(fmt::format("a field of {} bytes; at most {}", at_ - begin, max_field));
    fields_.push_back({.text = text_.substr(begin, at_ - begin)});
}

void CsvReader::read_quoted() {
    const std::size_t begin = ++at_;
    const std::size_t scratch_begin = scratch_.size();
    std::size_t copied = begin;  // scratch_ has the field up to this position
    bool doubled = false;
    while (true) {
        if (at_ == text_.size()) throw error("a quoted field is not closed");
        const char c = text_[at_];
        if (c == '\0') throw error("a zero byte; this is not a text table");
        if (c == '"') {
            if (at_ + 1 == text_.size() || text_[at_ + 1] != '"') break;
            scratch_.append(text_.substr(copied, at_ + 1 - copied));
            doubled = true;
            at_ += 2;
            copied = at_;
        } else {
            // CRLF inside a field is one line.
            if (c == '\n' || (c == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] != '\n')))
                ++line_;
            ++at_;
        }
        if (at_ - begin > max_field)
            throw error(fmt::format("a quoted field of more than {} bytes (a quote not closed?)",
                                    max_field));
    }
    const std::string_view whole = text_.substr(begin, at_ - begin);
    if (doubled) scratch_.append(text_.substr(copied, at_ - copied));
    ++at_;
    if (!at_row_end() && text_[at_] != delimiter_)
        throw error("text after the closing quote of a field");
    if (doubled) {
        fields_.push_back({.text = {},
                           .scratch_begin = scratch_begin,
                           .scratch_size = scratch_.size() - scratch_begin,
                           .in_scratch = true});
    } else {
        fields_.push_back({.text = whole});
    }
}

void CsvWriter::field(std::string_view text) {
    if (in_row_ > 0) out_ += delimiter_;
    first_was_empty_ = in_row_ == 0 && text.empty();
    ++in_row_;
    if (text.find_first_of(",\t\"\r\n") == std::string_view::npos &&
        text.find(delimiter_) == std::string_view::npos && !text.starts_with(byte_order_mark)) {
        out_ += text;
        return;
    }
    out_ += '"';
    for (const char c : text) {
        if (c == '"') out_ += '"';
        out_ += c;
    }
    out_ += '"';
}

void CsvWriter::end_row() {
    if (in_row_ == 1 && first_was_empty_) out_ += "\"\"";  // readers would skip an empty line
    out_ += '\n';
    in_row_ = 0;
}

void CsvWriter::row(std::span<const std::string> fields) {
    for (const std::string& text : fields) field(text);
    end_row();
}

void CsvWriter::row(std::initializer_list<std::string_view> fields) {
    for (const std::string_view text : fields) field(text);
    end_row();
}

}  // namespace assay
