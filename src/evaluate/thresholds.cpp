#include "evaluate/thresholds.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "assay/error.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/finite_number.h"
#include "core/json_limits.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::size_t most_threshold_bytes = std::size_t{64} << 20;

/// One value per class; 0 means that it is not set yet.
using Thresholds = std::vector<double>;

void refuse_outside(double threshold, std::string_view name, const std::string& where) {
    if (threshold > 0 && threshold < 1) return;
    refuse(fmt::format("{}: the threshold of `{}` is {}; allowed: 0 to 1, the range of a sigmoid",
                       where, shortened(name), threshold));
}

class ThresholdsOfClasses {
public:
    explicit ThresholdsOfClasses(const ClassList& classes)
        : classes_(classes), thresholds_(classes.size(), 0) {}

    void add(std::string_view name, double threshold, const std::string& where) {
        const std::optional<std::int32_t> cls = classes_.find(name);
        if (!cls)
            refuse(fmt::format("{}: `{}` is not a class{}", where, shortened(name),
                               suggest(shortened(name), classes_.ids())));
        double& own = thresholds_[static_cast<std::size_t>(*cls)];
        if (own > 0)
            refuse(fmt::format("{}: the class `{}` appears twice", where, shortened(name)));
        refuse_outside(threshold, name, where);
        own = threshold;
    }
    Thresholds take() { return std::move(thresholds_); }

private:
    const ClassList& classes_;
    Thresholds thresholds_;
};

double number_in(const nlohmann::json& value, const std::string& where) {
    if (!value.is_number()) refuse(where + ": the threshold is not a number");
    return value.get<double>();
}

Thresholds thresholds_of_json(std::string_view text, const ClassList& classes,
                              const std::string& source) {
    constexpr int deepest = 8;
    const nlohmann::json file = parse_json(text, deepest);
    ThresholdsOfClasses found(classes);
    if (file.is_array()) {
        if (file.size() != classes.size())
            refuse(fmt::format("{}: {} thresholds for {} classes", source, file.size(),
                               classes.size()));
        for (std::size_t c = 0; c < classes.size(); ++c) {
            const std::string where = fmt::format("{}, entry {}", source, c);
            found.add(classes.id(c), number_in(file[c], where), where);
        }
    } else if (file.is_object()) {
        for (const auto& [name, value] : file.items())
            found.add(name, number_in(value, source + ": `" + shortened(name) + "`"), source);
    } else {
        refuse(source + ": thresholds are {\"class\": number, ...} or a list of numbers");
    }
    return found.take();
}

Thresholds thresholds_of_csv(std::string_view text, const ClassList& classes,
                             const std::string& source) {
    CsvReader csv(text, source);
    const std::size_t name = csv.column({"class", "label", "name", "id"});
    const std::size_t threshold = csv.column({"threshold"});
    ThresholdsOfClasses found(classes);
    while (csv.next()) {
        const std::string where = csv.where();
        const std::string_view cell = trimmed(csv[threshold]);
        const std::optional<double> value = finite_number(cell);
        if (!value)
            refuse(fmt::format("{}: the threshold `{}` is not a number", where, shortened(cell)));
        found.add(trimmed(csv[name]), *value, where);
    }
    return found.take();
}

Thresholds thresholds_of_file(const std::filesystem::path& path, const ClassList& classes) {
    return with_note("reading the thresholds " + path.string(), [&] {
        const std::string text = read_text(path, most_threshold_bytes);
        const std::string source = path.filename().string();
        if (trimmed(text).empty()) refuse(source + " is empty");
        return lower_extension(source) == ".json" ? thresholds_of_json(text, classes, source)
                                                  : thresholds_of_csv(text, classes, source);
    });
}

/// Parses "cat=0.3". The last '=' is the separator, because a class name may contain one.
std::pair<std::string_view, double> parted(const std::string& named) {
    const std::size_t at = named.rfind('=');
    const std::string_view text = named;
    const std::optional<double> value =
        at == std::string::npos ? std::nullopt : finite_number(trimmed(text.substr(at + 1)));
    if (!value || trimmed(text.substr(0, at)).empty())
        throw Error(ErrorCode::usage,
                    fmt::format("threshold `{}`: expected NAME=VALUE, a class and a number "
                                "between 0 and 1, such as --threshold cat=0.3",
                                shortened(named)));
    return {trimmed(text.substr(0, at)), *value};
}

/// Writes the values of `named` to `thresholds`. Returns the value for `*`, or 0.
double add_named(Thresholds& thresholds, std::span<const std::string> named,
                 const ClassList& classes) {
    ThresholdsOfClasses found(classes);
    double others = 0;
    for (const std::string& text : named) {
        const auto [name, value] = parted(text);
        const std::string where = "--threshold " + shortened(text);
        if (name != "*" || classes.find(name)) {
            found.add(name, value, where);
            continue;
        }
        if (others > 0) refuse(where + ": `*` appears twice");
        refuse_outside(value, name, where);
        others = value;
    }
    const Thresholds own = found.take();
    for (std::size_t c = 0; c < own.size(); ++c)
        if (own[c] > 0) thresholds[c] = own[c];
    return others;
}

/// Throws bad_input for classes without a value.
void fill_others(Thresholds& thresholds, double others, const ClassList& classes,
                 const std::string& source) {
    std::size_t missing = 0, first = 0;
    for (std::size_t c = thresholds.size(); c-- > 0;) {
        if (thresholds[c] == 0) thresholds[c] = others;
        if (thresholds[c] > 0) continue;
        ++missing;
        first = c;
    }
    if (missing > 0)
        refuse(
            fmt::format("{}: {} of {} classes have no threshold, the first `{}`; each needs one. "
                        "to set the others, add --threshold '*=0.5'",
                        source, missing, thresholds.size(), shortened(classes.id(first))));
}

}  // namespace

void check_threshold(const std::string& named) {
    parted(named);
}

std::vector<double> read_thresholds(const std::filesystem::path& path,
                                    std::span<const std::string> named, const ClassList& classes) {
    Thresholds thresholds =
        path.empty() ? Thresholds(classes.size(), 0) : thresholds_of_file(path, classes);
    const double others = add_named(thresholds, named, classes);
    fill_others(thresholds, others, classes,
                path.empty() ? "--threshold" : path.filename().string());
    return thresholds;
}

}  // namespace assay
