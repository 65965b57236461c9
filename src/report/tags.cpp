#include "report/tags.h"

#include <fmt/format.h>

#include <set>

#include "containers/csv.h"
#include "core/file.h"
#include "core/refuse.h"
#include "core/terminal_text.h"
#include "core/text.h"

namespace assay {

ReportTags read_tags(const std::filesystem::path& file) {
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 26;
    const std::string text = read_text(file, most_bytes);
    if (!is_utf8(text)) refuse(fmt::format("{}: the text is not UTF-8", file.string()));
    CsvReader reader(text, file.string());
    const std::size_t model = reader.column({"model", "name"});
    ReportTags tags;
    std::set<std::string> names;
    for (std::size_t c = 0; c < reader.columns().size(); ++c) {
        if (c == model) continue;
        if (!names.insert(reader.columns()[c]).second)
            refuse(fmt::format("{}: the column `{}` appears twice", file.string(),
                               shortened(reader.columns()[c])));
        tags.names.push_back(reader.columns()[c]);
    }
    while (reader.next()) {
        const std::string name(reader[model]);
        if (name.empty()) throw reader.error("the model has no name");
        if (tags.models.contains(name))
            throw reader.error(fmt::format("the model `{}` appears twice", shortened(name)));
        std::map<std::string, std::string>& own = tags.models[name];
        for (std::size_t c = 0; c < reader.columns().size(); ++c)
            if (c != model && !reader[c].empty()) own[reader.columns()[c]] = reader[c];
    }
    return tags;
}

}  // namespace assay
