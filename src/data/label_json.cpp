#include "data/label_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "assay/error.h"
#include "core/json_events.h"
#include "core/text.h"
#include "data/label_list.h"

namespace assay {
namespace {

/// Items and labels, plus one level, so that an error can name a value that is no label.
constexpr int deepest_labels = 3;

/// Handles the parser's events, so that 50,000 lists cost two arrays and no tree.
class LabelEvents : public JsonEvents {
public:
    LabelEvents(NamedRows& out, const ClassList& classes, const std::string& source)
        : out_(out), classes_(classes), source_(source) {}

    bool null() override {
        if (depth_ != 1) refuse("null is not a label");
        end_row();
        return true;
    }
    bool boolean(bool value) override {
        refuse(value ? "true is not a label" : "false is not a label");
    }
    bool number_integer(number_integer_t value) override { return add_number(value); }
    bool number_unsigned(number_unsigned_t value) override {
        return add_number(static_cast<std::int64_t>(std::min<number_unsigned_t>(value, INT64_MAX)));
    }
    bool number_float(number_float_t, const string_t& text) override {
        refuse(fmt::format("label {} is not a whole number", shortened(text)));
    }
    bool string(string_t& text) override {
        const auto found = classes_.find(text);
        if (!found) refuse(unknown_label(text, classes_));
        return add(*found);
    }
    bool start_object(std::size_t) override {
        if (depth_ != 0) refuse("an object is not a label");
        ++depth_;
        keyed_ = true;
        return true;
    }
    bool key(string_t& text) override {
        out_.keys.append(text);
        return true;
    }
    bool end_object() override {
        --depth_;
        return true;
    }
    bool start_array(std::size_t) override {
        if (depth_ == 2 || (depth_ == 1 && in_row_))
            refuse("lists nested deeper than item and labels");
        in_row_ = depth_ == 1;
        ++depth_;
        return true;
    }
    bool end_array() override {
        --depth_;
        if (in_row_) end_row();
        in_row_ = false;
        return true;
    }

private:
    std::string where() const {
        if (keyed_ && out_.keys.size() > 0) {
            return fmt::format("{}, item `{}`", source_,
                               shortened(out_.keys[out_.keys.size() - 1]));
        }
        return fmt::format("{}, row {}", source_, out_.rows.size());
    }
    [[noreturn]] void refuse(const std::string& message) const {
        throw Error(ErrorCode::bad_input, fmt::format("{}: {}", where(), message));
    }
    bool add_number(std::int64_t number) {
        if (number >= 0 && number < static_cast<std::int64_t>(classes_.size()))
            return add(static_cast<std::int32_t>(number));
        return add(checked_class(number, classes_, where()));
    }
    bool add(std::int32_t label) {
        if (depth_ == 0) refuse("expected a list or an object");
        set_.push_back(label);
        if (!in_row_) end_row();
        return true;
    }
    void end_row() {
        out_.rows.append(set_);
        set_.clear();
    }

    NamedRows& out_;
    const ClassList& classes_;
    const std::string& source_;
    std::vector<std::int32_t> set_;
    int depth_ = 0;
    bool keyed_ = false;
    bool in_row_ = false;
};

/// Reads only the labels. The reader of rows reports other errors. Stores each name once.
class NameEvents : public JsonEvents {
public:
    std::set<std::string> names;
    bool numbers = false;

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return number(); }
    bool number_unsigned(number_unsigned_t) override { return number(); }
    bool number_float(number_float_t, const string_t&) override { return number(); }
    bool string(string_t& text) override {
        if (depth_ <= 2) names.insert(text);
        return true;
    }
    bool start_object(std::size_t) override { return open(); }
    bool key(string_t&) override { return true; }
    bool end_object() override { return close(); }
    bool start_array(std::size_t) override { return open(); }
    bool end_array() override { return close(); }

private:
    bool number() {
        numbers = numbers || depth_ <= 2;
        return true;
    }
    bool open() {
        ++depth_;
        return true;
    }
    bool close() {
        --depth_;
        return true;
    }
    int depth_ = 0;
};

}  // namespace

std::vector<std::string> label_names_in_json(std::string_view text, const std::string& source) {
    NameEvents events;
    read_json_events(text, deepest_labels, events, source);
    const std::set<std::string>& names = events.names;
    const bool numbers = events.numbers;
    if (numbers && !names.empty()) {
        throw Error(ErrorCode::bad_input, fmt::format("{}: labels are numbers and names (`{}`); a "
                                                      "class list (--classes) must say what the "
                                                      "numbers mean",
                                                      source, shortened(*names.begin())));
    }
    return {names.begin(), names.end()};
}

std::int32_t checked_class(std::int64_t number, const ClassList& classes, std::string_view where) {
    constexpr std::int64_t most_without_classes = 999'999;
    const std::int64_t most =
        classes.empty() ? most_without_classes : static_cast<std::int64_t>(classes.size()) - 1;
    if (number >= 0 && number <= most) return static_cast<std::int32_t>(number);
    const std::string problem = number < 0 || classes.empty()
                                    ? fmt::format("label {} is out of range 0..{}", number, most)
                                    : unknown_label(std::to_string(number), classes);
    throw Error(ErrorCode::bad_input, fmt::format("{}: {}", where, problem));
}

NamedRows parse_label_json(std::string_view text, const ClassList& classes,
                           const std::string& source) {
    NamedRows out;
    LabelEvents events(out, classes, source);
    read_json_events(text, deepest_labels, events, source);
    return out;
}

}  // namespace assay
