#include "annotation/option_files.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>

#include "assay/error.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/finite_number.h"
#include "core/text.h"
#include "data/crowd/crowd.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

double weight_in(const CsvReader& reader, std::string_view cell) {
    const std::optional<double> weight = finite_number(cell);
    if (!weight || *weight < 0 || *weight >= 1e9) {
        throw reader.error(
            fmt::format("weight `{}` is not a number from 0 to 1e9", cell.substr(0, 40)));
    }
    return *weight;
}

struct AnnotatorFile {
    std::vector<std::string> names;
    std::unordered_map<std::string, double> weights;
};

AnnotatorFile read_annotators(const fs::path& path, bool with_weights) {
    const std::string text = read_text(path);
    CsvReader reader(text, path.filename().string());
    const std::size_t annotator = reader.column(crowd::annotator_words);
    const std::size_t weight = with_weights ? reader.column({"weight"}) : 0;
    AnnotatorFile out;
    while (reader.next()) {
        std::string name(trimmed(reader[annotator]));  // trimmed as the readers of votes do
        if (name.empty()) throw reader.error("an annotator without a name");
        const double w = with_weights ? weight_in(reader, reader[weight]) : 1;
        if (!out.weights.emplace(name, w).second)
            throw reader.error(fmt::format("annotator `{}` appears twice", shortened(name)));
        out.names.push_back(std::move(name));
    }
    return out;
}

}  // namespace

ClassList classes_named(const std::string& text) {
    if (text.empty()) return {};
    return text == "imagenet" ? imagenet_classes() : read_class_list(text);
}

std::vector<std::string> read_annotator_names(const fs::path& path) {
    AnnotatorFile file = read_annotators(path, false);
    // The reader of votes treats an empty list as "accept all".
    if (file.names.empty()) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("{}: the file names no annotator; name at least one", path.string()));
    }
    return std::move(file.names);
}

std::vector<double> read_annotator_weights(const fs::path& path, const Votes& votes) {
    constexpr std::size_t most_named = 8;
    const AnnotatorFile file = read_annotators(path, true);
    std::vector<double> out;
    std::string missing;
    std::size_t n = 0;
    for (std::size_t r = 0; r < votes.annotators.size(); ++r) {
        const std::string name(votes.annotators[r]);
        const auto found = file.weights.find(name);
        out.push_back(found == file.weights.end() ? 0 : found->second);
        if (found != file.weights.end()) continue;
        if (n < most_named) missing += (n == 0 ? "" : ", ") + name;
        if (n == most_named) missing += ", ...";
        ++n;
    }
    if (n > 0) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: no weight for {} of {} annotators: {}", path.string(), n,
                                votes.annotators.size(), missing));
    }
    return out;
}

}  // namespace assay
