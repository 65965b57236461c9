#include "assay/error.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace assay {
namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    return out;
}

/// Levenshtein distance; one row of the table at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substituted});
        }
    }
    return row.back();
}

}  // namespace

Error::Error(ErrorCode code, std::string message)
    : code_(code), message_(std::move(message)), what_(message_) {}

Error& Error::add_note(std::string note) {
    notes_.push_back(std::move(note));
    what_ = message_ + " (";
    for (std::size_t i = 0; i < notes_.size(); ++i)
        what_ += (i == 0 ? "while " : "; while ") + notes_[i];
    what_ += ")";
    return *this;
}

std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
    const std::string wanted = lower(word);
    std::string best;
    std::size_t best_distance = std::string::npos;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(wanted, lower(candidate));
        if (distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    const std::size_t allowed = std::max<std::size_t>(1, std::max(word.size(), best.size()) / 3);
    return best_distance <= allowed ? best : std::string();
}

std::string suggest(std::string_view word, const std::vector<std::string>& candidates) {
    if (const std::string near = nearest_name(word, candidates); !near.empty())
        return "; did you mean `" + near + "`?";
    if (candidates.empty()) return "";
    constexpr std::size_t most = 12;
    std::string out = "; known: ";
    for (std::size_t i = 0; i < std::min(most, candidates.size()); ++i)
        out += (i == 0 ? "" : ", ") + candidates[i];
    if (candidates.size() > most) out += ", ...";
    return out;
}

}  // namespace assay
