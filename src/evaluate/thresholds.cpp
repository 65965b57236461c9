#include "evaluate/thresholds.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

#include "assay/error.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/json_limits.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::size_t most_threshold_bytes = std::size_t{64} << 20;

class ThresholdsOfClasses {
public:
    ThresholdsOfClasses(const ClassList& classes, std::string source)
        : classes_(classes), source_(std::move(source)), thresholds_(classes.size(), 0) {}

    void add(std::string_view name, double threshold, const std::string& where) {
        const std::optional<std::int32_t> cls = classes_.find(name);
        if (!cls)
            refuse(fmt::format("{}: `{}` is no class{}", where, shortened(name),
                               suggest(shortened(name), classes_.ids())));
        double& own = thresholds_[static_cast<std::size_t>(*cls)];
        if (own > 0)
            refuse(fmt::format("{}: the class `{}` appears twice", where, shortened(name)));
        if (!(threshold > 0 && threshold < 1))
            refuse(
                fmt::format("{}: the threshold of `{}` is {}; the sigmoid of a class lies "
                            "between 0 and 1, and so does its threshold",
                            where, shortened(name), threshold));
        own = threshold;
    }
    std::vector<double> take() {
        std::size_t missing = 0, first = 0;
        for (std::size_t c = thresholds_.size(); c-- > 0;) {
            if (thresholds_[c] > 0) continue;
            ++missing;
            first = c;
        }
        if (missing > 0)
            refuse(
                fmt::format("{}: {} of {} classes have no threshold, the first `{}`; each needs "
                            "one (0.5 is usual)",
                            source_, missing, thresholds_.size(), shortened(classes_.id(first))));
        return std::move(thresholds_);
    }

private:
    const ClassList& classes_;
    const std::string source_;
    std::vector<double> thresholds_;
};

double number_in(const nlohmann::json& value, const std::string& where) {
    if (!value.is_number()) refuse(where + ": the threshold is no number");
    return value.get<double>();
}

std::vector<double> thresholds_of_json(std::string_view text, const ClassList& classes,
                                       const std::string& source) {
    constexpr int deepest = 8;
    const nlohmann::json file = parse_json(text, deepest);
    ThresholdsOfClasses found(classes, source);
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

std::vector<double> thresholds_of_csv(std::string_view text, const ClassList& classes,
                                      const std::string& source) {
    CsvReader csv(text, source);
    const std::size_t name = csv.column({"class", "label", "name", "id"});
    const std::size_t threshold = csv.column({"threshold"});
    ThresholdsOfClasses found(classes, source);
    while (csv.next()) {
        const std::string where = csv.where();
        const std::string_view cell = trimmed(csv[threshold]);
        double value = 0;
        const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
        if (error != std::errc() || end != cell.data() + cell.size())
            refuse(fmt::format("{}: the threshold `{}` is no number", where, shortened(cell)));
        found.add(trimmed(csv[name]), value, where);
    }
    return found.take();
}

}  // namespace

std::vector<double> read_thresholds(const std::filesystem::path& path, const ClassList& classes) {
    return with_note("reading the thresholds " + path.string(), [&] {
        const std::string text = read_text(path, most_threshold_bytes);
        const std::string source = path.filename().string();
        if (trimmed(text).empty()) refuse(source + " is empty");
        return lower_extension(source) == ".json" ? thresholds_of_json(text, classes, source)
                                                  : thresholds_of_csv(text, classes, source);
    });
}

}  // namespace assay
