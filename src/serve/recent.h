// A bounded cache of recently used values.
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace assay::serve {

/// Stores values by name, each with a size. The least recently used values are evicted.
template <class Value>
class Recent {
public:
    explicit Recent(std::size_t most) : most_(most) {}

    std::optional<Value> find(const std::string& name) {
        const auto found = places_.find(name);
        if (found == places_.end()) return std::nullopt;
        entries_.splice(entries_.begin(), entries_, found->second);
        return found->second->value;
    }

    /// A value larger than the whole cache is not stored.
    void keep(const std::string& name, Value value, std::size_t size) {
        if (size > most_ || places_.contains(name)) return;
        entries_.push_front({name, std::move(value), size});
        places_.emplace(name, entries_.begin());
        size_ += size;
        while (size_ > most_) {
            size_ -= entries_.back().size;
            places_.erase(entries_.back().name);
            entries_.pop_back();
        }
    }

    std::size_t size() const { return size_; }

private:
    struct Entry {
        std::string name;
        Value value;
        std::size_t size;
    };
    const std::size_t most_;
    std::size_t size_ = 0;
    std::list<Entry> entries_;
    std::unordered_map<std::string, typename std::list<Entry>::iterator> places_;
};

}  // namespace assay::serve
