#include "core/json_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "assay/error.h"
#include "core/json_damage.h"
#include "core/json_events.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay {
namespace {

using nlohmann::json;
using Events = nlohmann::json_sax<json>;

/// A text and how messages name places in it.
struct LimitedText {
    std::string_view text;
    std::string_view source = {};  ///< begins messages, if it is not empty
    JsonLines lines = JsonLines::several;
};

/// The keys of one open object so far. Most objects have few keys, and a hostile file may choose
/// keys that make a hash table slow.
class KeysOfObject {
public:
    void clear() {
        few_.clear();
        many_.clear();
    }
    /// Returns whether the key is new.
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

/// Passes events on as long as they are within the limits, and refuses damaged text.
class LimitedEvents final : public Events {
public:
    LimitedEvents(Events& next, int max_depth, std::uint64_t max_values, const LimitedText& text)
        : next_(next),
          max_depth_(static_cast<std::size_t>(max_depth)),
          max_values_(max_values),
          text_(text) {}

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
            refuse_json(fmt::format("key `{}` appears twice", shortened(text)));
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
    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::detail::exception&) override {
        refuse_json(json_damage(text_.text, position, text_.lines));
    }

private:
    [[noreturn]] void refuse_json(const std::string& message) const {
        refuse(text_.source.empty() ? message : fmt::format("{}: {}", text_.source, message));
    }
    bool count() {
        constexpr std::uint64_t often = 1024;
        if (++values_ > max_values_)
            refuse_json(fmt::format("the JSON has more than {} values", max_values_));
        if (values_ % often == 0) throw_if_stopped();
        return true;
    }
    void open() {
        count();
        if (++depth_ > max_depth_)
            refuse_json(fmt::format("the JSON is nested deeper than {} levels", max_depth_));
    }

    Events& next_;
    std::size_t max_depth_;
    std::uint64_t max_values_;
    LimitedText text_;
    std::uint64_t values_ = 0;
    std::size_t depth_ = 0;
    std::vector<KeysOfObject> keys_;  ///< one entry for each depth; unused for lists
};

/// Builds the tree. The library's own parser with a callback visits all elements of a list or
/// object each time an element ends.
class TreeEvents final : public JsonEvents {
public:
    explicit TreeEvents(json& root) : root_(root) {}

    /// True if every list and object that began has ended.
    bool complete() const { return open_.empty(); }

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t&) override { return add(value); }
    bool string(string_t& text) override { return add(std::move(text)); }
    bool start_object(std::size_t) override { return open(json::value_t::object); }
    bool key(string_t& text) override {
        slot_ = &open_.back()->get_ref<json::object_t&>()[std::move(text)];
        return true;
    }
    bool end_object() override { return close(); }
    bool start_array(std::size_t) override { return open(json::value_t::array); }
    bool end_array() override { return close(); }

private:
    json* place(json&& value) {
        if (open_.empty()) {
            root_ = std::move(value);
            return &root_;
        }
        if (open_.back()->is_array()) {
            auto& list = open_.back()->get_ref<json::array_t&>();
            list.push_back(std::move(value));
            return &list.back();  // the address stays valid until the next element is added, after
                                  // this one is closed
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
    json* slot_ = nullptr;  ///< the value of the last key in the innermost object
};

/// Passes on the elements of a list or object at the outermost levels, each as a tree.
class PartEvents final : public JsonEvents {
public:
    /// `member` names the member of the outermost object that contains the parts. "" means the
    /// outermost value.
    PartEvents(std::string_view member, bool lists_only, std::uint64_t max_values,
               std::string_view source, const JsonPartVisit& visit)
        : tree_(part_),
          member_(member),
          lists_only_(lists_only),
          max_values_(max_values),
          source_(source),
          visit_(visit) {}

    bool null() override {
        return scalar([&] { return tree_.null(); });
    }
    bool boolean(bool value) override {
        return scalar([&] { return tree_.boolean(value); });
    }
    bool number_integer(number_integer_t value) override {
        return scalar([&] { return tree_.number_integer(value); });
    }
    bool number_unsigned(number_unsigned_t value) override {
        return scalar([&] { return tree_.number_unsigned(value); });
    }
    bool number_float(number_float_t value, const string_t& text) override {
        return scalar([&] { return tree_.number_float(value, text); });
    }
    bool string(string_t& text) override {
        return scalar([&] { return tree_.string(text); });
    }
    bool start_object(std::size_t size) override {
        return start(true, [&] { return tree_.start_object(size); });
    }
    bool start_array(std::size_t size) override {
        return start(false, [&] { return tree_.start_array(size); });
    }
    bool key(string_t& text) override {
        if (building()) return tree_.key(text);
        if (skipped_ == 0) key_ = std::move(text);
        return true;
    }
    bool end_object() override {
        return end([&] { return tree_.end_object(); });
    }
    bool end_array() override {
        return end([&] { return tree_.end_array(); });
    }

private:
    [[noreturn]] void refuse_part(const std::string& message) const {
        refuse(source_.empty() ? message : fmt::format("{}: {}", source_, message));
    }
    bool building() const { return !tree_.complete(); }
    /// The number of nested lists and objects around the parts.
    std::size_t target() const { return member_.empty() ? 1 : 2; }
    /// True if the next value is the one that contains the parts.
    bool at_holder() const {
        return level_ + 1 == target() && (member_.empty() || key_ == member_);
    }

    void count() {
        if (++values_ > max_values_)
            refuse_part(fmt::format("element {} has more than {} values", parts_ + 1, max_values_));
    }
    template <class Forward>
    bool part(Forward&& forward) {
        count();
        const bool going_on = forward();
        if (!building()) {
            visit_(in_object_ ? key_ : std::string(), std::move(part_), parts_++);
            part_ = nullptr;
            values_ = 0;
        }
        return going_on;
    }
    template <class Forward>
    bool scalar(Forward&& forward) {
        if (building() || (skipped_ == 0 && level_ == target()))
            return part(std::forward<Forward>(forward));
        if (skipped_ == 0 && (level_ == 0 || at_holder())) refuse_holder();
        return true;
    }
    template <class Forward>
    bool start(bool object, Forward&& forward) {
        if (building() || (skipped_ == 0 && level_ == target()))
            return part(std::forward<Forward>(forward));
        if (skipped_ > 0 || (level_ == 1 && !at_holder())) {
            ++skipped_;
            return true;
        }
        if (at_holder() ? object && lists_only_ : !object) refuse_holder();
        in_object_ = object;
        ++level_;
        return true;
    }
    template <class Forward>
    bool end(Forward&& forward) {
        if (building()) return part(std::forward<Forward>(forward));
        if (skipped_ > 0) {
            --skipped_;
        } else {
            --level_;
        }
        return true;
    }
    [[noreturn]] void refuse_holder() const {
        if (lists_only_) refuse_part("the JSON is not a list of objects");
        if (member_.empty()) refuse_part("the JSON is neither a list nor an object");
        refuse_part(level_ == 0 ? std::string("the JSON is not an object")
                                : fmt::format("`{}` is neither a list nor an object", member_));
    }

    json part_;
    TreeEvents tree_;
    std::string_view member_;
    bool lists_only_;
    std::uint64_t max_values_;
    std::string_view source_;
    const JsonPartVisit& visit_;
    std::uint64_t values_ = 0, parts_ = 0;
    std::size_t level_ = 0, skipped_ = 0;  ///< open values that lead to the parts, and open values
                                           ///< elsewhere
    std::string key_;
    bool in_object_ = false;
};

/// Reads only the outermost value.
class OutlineEvents final : public JsonEvents {
public:
    OutlineEvents(JsonOutline& outline, std::size_t most) : outline_(outline), most_(most) {}

    bool null() override { return member(json::value_t::null); }
    bool boolean(bool) override { return member(json::value_t::boolean); }
    bool number_integer(number_integer_t) override { return member(json::value_t::number_integer); }
    bool number_unsigned(number_unsigned_t) override {
        return member(json::value_t::number_unsigned);
    }
    bool number_float(number_float_t, const string_t&) override {
        return member(json::value_t::number_float);
    }
    bool string(string_t&) override { return member(json::value_t::string); }
    bool start_object(std::size_t) override { return start(json::value_t::object); }
    bool start_array(std::size_t) override { return start(json::value_t::array); }
    bool key(string_t& text) override {
        if (depth_ == 1) key_ = std::move(text);
        return true;
    }
    bool end_object() override { return end(); }
    bool end_array() override { return end(); }

private:
    /// Returns false, which ends the reading, when enough is known.
    bool member(json::value_t type) {
        if (depth_ == 0) outline_.type = type;
        if (depth_ != 1 || outline_.type != json::value_t::object) return true;
        outline_.members.emplace_back(std::exchange(key_, {}), type);
        return outline_.members.size() < most_;
    }
    bool start(json::value_t type) {
        const bool going_on = member(type);
        ++depth_;
        return going_on && outline_.type == json::value_t::object;
    }
    bool end() {
        --depth_;
        return true;
    }

    JsonOutline& outline_;
    std::size_t most_;
    std::size_t depth_ = 0;
    std::string key_;
};

void read(const LimitedText& text, int max_depth, std::uint64_t max_values, Events& events) {
    LimitedEvents limited(events, max_depth, max_values, text);
    json::sax_parse(text.text.begin(), text.text.end(), &limited);
}

json tree_of(const LimitedText& text, int max_depth, std::uint64_t max_values) {
    json root;
    TreeEvents tree(root);
    read(text, max_depth, max_values, tree);
    return root;
}

}  // namespace

json parse_json(std::string_view text, int max_depth, std::uint64_t max_values) {
    return tree_of({text}, max_depth, max_values);
}

json parse_json_line(std::string_view line, int max_depth, std::uint64_t max_values) {
    return tree_of({line, {}, JsonLines::one}, max_depth, max_values);
}

void read_json_events(std::string_view text, int max_depth, Events& events,
                      std::string_view source) {
    read({text, source}, max_depth, UINT64_MAX, events);
}

void read_json_elements(std::string_view text, int max_depth, std::uint64_t max_values,
                        std::string_view source,
                        const std::function<void(json&&, std::uint64_t)>& visit) {
    const JsonPartVisit visit_part = [&](const std::string&, json&& part, std::uint64_t number) {
        visit(std::move(part), number);
    };
    PartEvents parts("", true, max_values, source, visit_part);
    read({text, source}, max_depth, UINT64_MAX, parts);
}

void read_json_parts(std::string_view text, std::string_view member, int max_depth,
                     std::uint64_t max_values, const JsonPartVisit& visit) {
    PartEvents parts(member, false, max_values, {}, visit);
    read({text}, max_depth, UINT64_MAX, parts);
}

JsonOutline json_outline(std::string_view text, int max_depth, std::size_t most_members) {
    JsonOutline outline;
    OutlineEvents events(outline, most_members);
    read({text}, max_depth, UINT64_MAX, events);
    return outline;
}

}  // namespace assay
