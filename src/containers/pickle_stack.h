// The state that every reader of pickles needs while it processes opcodes.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace assay {

/// The values, the stack, the marks and the memo, in bounded memory. Values refer to each other by
/// index, so that no shape of the pickle (deep, cyclic, shared) causes copies, leaks or recursion.
/// Value must have a `kind`, with `tuple` as one of its values, and `items`, the indices that it
/// refers to.
template <class Value>
class PickleStack {
public:
    PickleStack(const PickleStack&) = delete;
    PickleStack& operator=(const PickleStack&) = delete;

protected:
    using Ref = std::uint32_t;  ///< index of a value in values_

    /// There may be at most `most` values. Messages call values that refer to others `holders`.
    PickleStack(std::size_t most, std::string_view holders) : most_(most), holders_(holders) {}
    virtual ~PickleStack() = default;

    /// Throws bad_input because the pickle is damaged.
    [[noreturn]] virtual void fail(const std::string& what) const = 0;

    void push(Value value) {
        if (values_.size() >= most_) fail(fmt::format("it holds more than {} values", most_));
        values_.push_back(std::move(value));
        stack_.push_back(static_cast<Ref>(values_.size() - 1));
    }
    /// The last value above the last mark. Without a mark, the last value on the stack.
    Ref top() const {
        const std::size_t floor = marks_.empty() ? 0 : marks_.back();
        if (stack_.size() <= floor) fail("a value is missing");
        return stack_.back();
    }
    Ref pop() {
        const Ref out = top();
        stack_.pop_back();
        return out;
    }
    std::vector<Ref> pop_to_mark() {
        if (marks_.empty()) fail("a mark is missing");
        const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
        std::vector<Ref> out(begin, stack_.end());
        stack_.erase(begin, stack_.end());
        marks_.pop_back();
        count(out.size());
        return out;
    }
    /// References inside values also count, because they take memory.
    void count(std::size_t references) {
        references_ += references;
        if (references_ > 4 * most_) fail(fmt::format("its {} are too large", holders_));
    }
    void tuple(std::size_t n) {
        std::vector<Ref> items(n);
        for (std::size_t i = n; i > 0; --i) items[i - 1] = pop();
        count(n);
        push({.kind = decltype(Value::kind)::tuple, .items = std::move(items)});
    }
    void remember(std::uint64_t key) {
        if (memo_.size() >= most_) fail("its memo is too large");
        memo_[key] = top();
    }
    void recall(std::uint64_t key) {
        const auto found = memo_.find(key);
        if (found == memo_.end())
            fail(fmt::format("it refers to value {}, which does not exist", key));
        count(1);
        stack_.push_back(found->second);
    }

    std::vector<Value> values_;
    std::vector<Ref> stack_;
    std::vector<std::size_t> marks_;
    std::unordered_map<std::uint64_t, Ref> memo_;

private:
    std::size_t most_;
    std::string_view holders_;
    std::size_t references_ = 0;
};

}  // namespace assay
