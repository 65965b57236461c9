#include "metric/number_list.h"

#include <algorithm>
#include <charconv>

namespace assay {
namespace {

std::optional<int> whole_number(std::string_view text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
        return std::nullopt;
    return number;
}

}  // namespace

std::optional<std::vector<int>> parse_number_list(std::string_view text, int low, int high) {
    std::vector<int> numbers;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(", "), text.size());
        const std::string_view piece = text.substr(0, end);
        const std::size_t dash = std::min(piece.find('-'), piece.size());
        const auto first = whole_number(piece.substr(0, dash));
        const auto last = dash < piece.size() ? whole_number(piece.substr(dash + 1)) : first;
        if (!first || !last || *first < low || *last > high || *first > *last) return std::nullopt;
        for (int n = *first; n <= *last; ++n) numbers.push_back(n);
        if (end == text.size()) break;
        text.remove_prefix(end + 1);
        if (text.empty()) return std::nullopt;  // the text ends in a separator
    }
    if (numbers.empty()) return std::nullopt;
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

std::string number_list_text(std::span<const int> numbers) {
    std::string text;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
        if (last - i < 2) last = i;
        text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
        if (last > i) text += "-" + std::to_string(numbers[last]);
        i = last + 1;
    }
    return text;
}

}  // namespace assay
