#include "store/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>

#include "assay/error.h"
#include "core/text.h"
#include "data/column_words.h"

namespace assay::store {
namespace {

std::string lowered(std::string_view text) {
    std::string out(trimmed(text));
    std::transform(out.begin(), out.end(), out.begin(), lower);
    return out;
}

template <std::size_t N>
bool among(std::string_view name, const std::array<std::string_view, N>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::optional<float> parse_score(std::string_view cell) {
    cell = trimmed(cell);
    if (cell.empty()) return std::numeric_limits<float>::quiet_NaN();
    if (cell.front() == '+' && cell.size() > 1 && cell[1] != '-') cell.remove_prefix(1);
    const bool percent = has_percent_sign(cell);
    if (percent) cell = trimmed(cell.substr(0, cell.size() - 1));
    double value = 0;
    const auto [stop, problem] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (stop != cell.data() + cell.size() || problem == std::errc::invalid_argument)
        return std::nullopt;
    if (problem == std::errc::result_out_of_range) {
        const std::size_t exponent = cell.find_first_of("eE");
        const bool tiny = exponent == std::string_view::npos
                              ? cell.find('.') < 3
                              : cell.substr(exponent + 1).starts_with('-');
        value = tiny ? 0.0 : std::numeric_limits<double>::infinity();
        if (cell.front() == '-') value = -value;
    }
    return static_cast<float>(percent ? value / 100 : value);
}

bool has_percent_sign(std::string_view cell) {
    cell = trimmed(cell);
    return cell.size() > 1 && cell.ends_with('%');
}

std::optional<std::int64_t> class_number(std::string_view cell) {
    if (cell.ends_with(".0")) cell.remove_suffix(2);
    std::int64_t number = -1;
    const auto [stop, problem] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
    if (problem != std::errc() || stop != cell.data() + cell.size()) return std::nullopt;
    return number;
}

bool is_list(std::string_view cell) {
    cell = trimmed(cell);
    return cell.size() >= 2 && ((cell.front() == '[' && cell.back() == ']') ||
                                (cell.front() == '(' && cell.back() == ')'));
}

void parse_list(std::string_view cell, std::vector<std::string_view>& members) {
    members.clear();
    cell = trimmed(cell);
    if (is_list(cell)) cell = cell.substr(1, cell.size() - 2);
    constexpr std::string_view separators = " ,\t\r\n";
    for (std::size_t at = 0;;) {
        at = cell.find_first_not_of(separators, at);
        if (at == std::string_view::npos) return;
        const char quote = cell[at];
        std::size_t end = 0;
        if (quote == '\'' || quote == '"') {
            end = cell.find(quote, at + 1);
            if (end == std::string_view::npos)
                throw Error(ErrorCode::bad_input, "a quote in a list is not closed");
            members.push_back(cell.substr(at + 1, end - at - 1));
            ++end;
        } else {
            end = std::min(cell.find_first_of(separators, at), cell.size());
            members.push_back(cell.substr(at, end - at));
            if (members.back() == "...") {
                throw Error(ErrorCode::bad_input,
                            "a list was shortened with `...` when it was printed; export it again "
                            "with all its members "
                            "(timm: --results-separate-col, or --results-format json)");
            }
        }
        at = end;
    }
}

std::optional<ScoreKind> kind_from_name(std::string_view name) {
    std::string word = lowered(name);
    while (!word.empty() && ((word.back() >= '0' && word.back() <= '9') || word.back() == '_' ||
                             word.back() == '-')) {
        word.pop_back();
    }
    constexpr std::array<std::string_view, 6> probabilities{
        "prob", "probs", "probability", "probabilities", "confidence", "softmax"};
    constexpr std::array<std::string_view, 2> logits{"logit", "logits"};
    constexpr std::array<std::string_view, 6> logs{"log_prob", "log_probs",       "logprob",
                                                   "logprobs", "log_probability", "log_softmax"};
    if (among(word, probabilities)) return ScoreKind::probabilities;
    if (among(word, logits)) return ScoreKind::logits;
    if (among(word, logs)) return ScoreKind::log_probabilities;
    return std::nullopt;
}

Role role_of(std::string_view name) {
    const std::string word = lowered(name);
    constexpr std::array<std::string_view, 13> ids{
        "",         "filename", "file",     "id",        "image",      "path",     "img",
        "image_id", "imageid",  "filepath", "file_name", "image_path", "imagename"};
    constexpr std::array<std::string_view, 4> indices{"index", "class", "class_index", "class_id"};
    constexpr std::array<std::string_view, 3> labels{"label", "labels", "class_name"};
    constexpr std::array<std::string_view, 8> truths{
        "target", "targets", "truth", "ground_truth", "gt", "true_label", "label_true", "y_true"};
    constexpr std::array<std::string_view, 11> predictions{
        "pred",       "preds",           "prediction", "predictions",     "predicted", "y_pred",
        "pred_label", "predicted_label", "label_pred", "predicted_class", "pred_class"};
    constexpr std::array<std::string_view, 4> scores{"score", "scores", "output", "outputs"};
    if (among(word, ids)) return Role::id;
    if (among(word, indices)) return Role::index;
    if (among(word, labels)) return Role::label;
    if (among(word, truths)) return Role::truth;
    if (among(word, predictions)) return Role::predicted;
    const bool numbered = !word.empty() && word.back() >= '0' && word.back() <= '9';
    if (among(word, scores) || (!numbered && kind_from_name(word))) return Role::score;
    return Role::other;
}

Role wide_role_of(std::string_view name) {
    if (const Role role = role_of(name); role != Role::other) return role;
    switch (column_word(name)) {
        case ColumnWord::image:
        case ColumnWord::id:
        case ColumnWord::row_number:
            return Role::id;
        case ColumnWord::label:
        case ColumnWord::labels:
            return Role::label;
        case ColumnWord::predicted:
            return Role::predicted;
        default:
            return Role::other;
    }
}

}  // namespace assay::store
