#include "core/json_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "assay/error.h"
#include "core/json_events.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay {
namespace {

using nlohmann::json;
using Events = nlohmann::json_sax<json>;

/// The keys that one open object has had. Most have a few; the file may choose the worst, which a
/// table of hashes would not survive.
class KeysOfObject {
public:
    void clear() {
        few_.clear();
        many_.clear();
    }
    /// Whether it is new.
    bool add(const std::string& key) {
        constexpr std::size_t most_compared = 12;
        if (!many_.empty()) return many_.insert(key).second;
        if (std::find(few_.begin(), few_.end(), key) != few_.end()) return false;
        few_.push_back(key);
        if (few_.size() > most_compared) many_.insert(few_.begin(), few_.end());
        return true;
    }

private:
    std::vector<std::string> few_;
    std::set<std::string> many_;
};

/// Passes events on as long as they keep to the limits.
class LimitedEvents final : public Events {
public:
    LimitedEvents(Events& next, int max_depth, std::uint64_t max_values, std::string_view source)
        : next_(next),
          max_depth_(static_cast<std::size_t>(max_depth)),
          max_values_(max_values),
          source_(source) {}

    bool null() override { return count() && next_.null(); }
    bool boolean(bool value) override { return count() && next_.boolean(value); }
    bool number_integer(number_integer_t value) override {
        return count() && next_.number_integer(value);
    }
    bool number_unsigned(number_unsigned_t value) override {
        return count() && next_.number_unsigned(value);
    }
    bool number_float(number_float_t value, const string_t& text) override {
        return count() && next_.number_float(value, text);
    }
    bool string(string_t& text) override { return count() && next_.string(text); }
    bool binary(binary_t& bytes) override { return count() && next_.binary(bytes); }
    bool start_object(std::size_t size) override {
        open();
        if (keys_.size() < depth_) keys_.resize(depth_);
        keys_[depth_ - 1].clear();
        return next_.start_object(size);
    }
    bool key(string_t& text) override {
        if (!keys_[depth_ - 1].add(text))
            refuse_json(fmt::format("key `{}` stands twice", shortened(text)));
        return next_.key(text);
    }
    bool end_object() override {
        --depth_;
        return next_.end_object();
    }
    bool start_array(std::size_t size) override {
        open();
        return next_.start_array(size);
    }
    bool end_array() override {
        --depth_;
        return next_.end_array();
    }
    bool parse_error(std::size_t position, const std::string& last_token,
                     const nlohmann::detail::exception& error) override {
        return next_.parse_error(position, last_token, error);
    }

private:
    [[noreturn]] void refuse_json(const std::string& message) const {
        refuse(source_.empty() ? message : fmt::format("{}: {}", source_, message));
    }
    bool count() {
        constexpr std::uint64_t often = 1024;
        if (++values_ > max_values_)
            refuse_json(fmt::format("JSON of more than {} values", max_values_));
        if (values_ % often == 0) throw_if_stopped();
        return true;
    }
    void open() {
        count();
        if (++depth_ > max_depth_)
            refuse_json(fmt::format("JSON nested deeper than {} levels", max_depth_));
    }

    Events& next_;
    std::size_t max_depth_;
    std::uint64_t max_values_;
    std::string_view source_;
    std::uint64_t values_ = 0;
    std::size_t depth_ = 0;
    std::vector<KeysOfObject> keys_;  ///< by depth; of a list: unused
};

/// Builds the tree. (The library's own parser with a callback looks through all elements of a list
/// or object whenever one of them ends.)
class TreeEvents final : public Events {
public:
    explicit TreeEvents(json& root) : root_(root) {}

    /// Every list and object that began has ended.
    bool complete() const { return open_.empty(); }

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t&) override { return add(value); }
    bool string(string_t& text) override { return add(std::move(text)); }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(json::value_t::object); }
    bool key(string_t& text) override {
        slot_ = &open_.back()->get_ref<json::object_t&>()[std::move(text)];
        return true;
    }
    bool end_object() override { return close(); }
    bool start_array(std::size_t) override { return open(json::value_t::array); }
    bool end_array() override { return close(); }
    bool parse_error(std::size_t, const std::string&,
                     const nlohmann::detail::exception& error) override {
        refuse(fmt::format("damaged JSON: {}", shortened(error.what(), 200)));
    }

private:
    json* place(json&& value) {
        if (open_.empty()) {
            root_ = std::move(value);
            return &root_;
        }
        if (open_.back()->is_array()) {
            auto& list = open_.back()->get_ref<json::array_t&>();
            list.push_back(std::move(value));
            return &list.back();  // where it stays until the next one is added, after it is closed
        }
        *slot_ = std::move(value);
        return slot_;
    }
    bool add(json&& value) {
        place(std::move(value));
        return true;
    }
    bool open(json::value_t type) {
        open_.push_back(place(json(type)));
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }

    json& root_;
    std::vector<json*> open_;
    json* slot_ = nullptr;  ///< of the last key of the innermost object
};

/// Hands the elements of the outermost list on, each as a tree.
class ElementEvents final : public Events {
public:
    ElementEvents(std::uint64_t max_values, std::string_view source,
                  const std::function<void(json&&, std::uint64_t)>& visit)
        : tree_(element_), max_values_(max_values), source_(source), visit_(visit) {}

    bool null() override { return pass(tree_.null()); }
    bool boolean(bool value) override { return pass(tree_.boolean(value)); }
    bool number_integer(number_integer_t value) override {
        return pass(tree_.number_integer(value));
    }
    bool number_unsigned(number_unsigned_t value) override {
        return pass(tree_.number_unsigned(value));
    }
    bool number_float(number_float_t value, const string_t& text) override {
        return pass(tree_.number_float(value, text));
    }
    bool string(string_t& text) override { return pass(tree_.string(text)); }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t size) override {
        need_list();
        return tree_.start_object(size);
    }
    bool key(string_t& text) override { return tree_.key(text); }
    bool end_object() override { return pass(tree_.end_object()); }
    bool start_array(std::size_t size) override {
        if (!in_list_) {
            in_list_ = true;
            return true;
        }
        return tree_.start_array(size);
    }
    bool end_array() override {
        if (tree_.complete()) return true;  // the outermost one
        return pass(tree_.end_array());
    }
    bool parse_error(std::size_t, const std::string&,
                     const nlohmann::detail::exception& error) override {
        refuse_element(fmt::format("damaged JSON: {}", shortened(error.what(), 200)));
    }

private:
    [[noreturn]] void refuse_element(const std::string& message) const {
        refuse(source_.empty() ? message : fmt::format("{}: {}", source_, message));
    }
    void need_list() const {
        if (!in_list_) refuse_element("the JSON is no list of objects");
    }
    void count() {
        if (++values_ > max_values_)
            refuse_element(
                fmt::format("element {} has more than {} values", elements_ + 1, max_values_));
    }
    bool pass(bool going_on) {
        need_list();
        count();
        if (!tree_.complete()) return going_on;
        visit_(std::move(element_), elements_++);
        element_ = nullptr;
        values_ = 0;
        return going_on;
    }

    json element_;
    TreeEvents tree_;
    std::uint64_t max_values_;
    std::string_view source_;
    const std::function<void(json&&, std::uint64_t)>& visit_;
    std::uint64_t values_ = 0, elements_ = 0;
    bool in_list_ = false;
};

void read(std::string_view text, Events& events) {
    json::sax_parse(text.begin(), text.end(), &events);
}

}  // namespace

json parse_json(std::string_view text, int max_depth, std::uint64_t max_values) {
    json root;
    TreeEvents tree(root);
    LimitedEvents limited(tree, max_depth, max_values, {});
    read(text, limited);
    return root;
}

void read_json_events(std::string_view text, int max_depth, Events& events,
                      std::string_view source) {
    LimitedEvents limited(events, max_depth, UINT64_MAX, source);
    read(text, limited);
}

void read_json_elements(std::string_view text, int max_depth, std::uint64_t max_values,
                        std::string_view source,
                        const std::function<void(json&&, std::uint64_t)>& visit) {
    ElementEvents elements(max_values, source, visit);
    LimitedEvents limited(elements, max_depth, UINT64_MAX, source);
    read(text, limited);
}

}  // namespace assay
