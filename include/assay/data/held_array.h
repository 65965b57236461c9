// The values of a column.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace assay {

/// Values in memory, or in a file that is mapped into memory. Copies share the mapping, so
/// processes that read one store have its items in memory once. An append first copies the values
/// into memory.
template <class T>
class HeldArray {
public:
    HeldArray() = default;
    /// `holder` keeps the memory of `values` valid.
    HeldArray(std::shared_ptr<const void> holder, std::span<const T> values)
        : holder_(std::move(holder)), held_(values) {}

    std::size_t size() const noexcept { return holder_ ? held_.size() : own_.size(); }
    const T* data() const noexcept { return holder_ ? held_.data() : own_.data(); }
    std::span<const T> span() const noexcept { return {data(), size()}; }
    const T& operator[](std::size_t i) const { return data()[i]; }
    const T& back() const { return data()[size() - 1]; }

    void push_back(const T& value) { own().push_back(value); }
    void append(std::span<const T> values) {
        own().insert(own().end(), values.begin(), values.end());
    }
    bool operator==(const HeldArray& other) const {
        const std::span<const T> a = span(), b = other.span();
        if (a.size() != b.size()) return false;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (a[i] != b[i]) return false;
        return true;
    }

    /// The values for writing: copied into memory first.
    std::vector<T>& own() {
        if (holder_) {
            own_.assign(held_.begin(), held_.end());
            holder_.reset();
            held_ = {};
        }
        return own_;
    }

private:
    std::vector<T> own_;
    std::shared_ptr<const void> holder_;
    std::span<const T> held_;
};

}  // namespace assay
