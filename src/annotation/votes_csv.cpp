#include <fmt/format.h>

#include <unordered_set>

#include "annotation/option_files.h"
#include "annotation/votes_readers.h"
#include "assay/error.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/text.h"

namespace assay {

Votes read_votes_csv(const std::filesystem::path& path, const VotesOptions& options) {
    const MappedFile file(path);
    const std::string source = path.filename().string();
    CsvReader reader(file.text(), source);
    const std::size_t annotator = reader.column(annotator_columns);
    const std::size_t item =
        reader.column({"item", "image", "picture", "path", "filename", "file"});
    const std::size_t label = reader.column({"label", "class"});
    const std::size_t answer = reader.column({"answer", "vote", "response"});
    const std::unordered_set<std::string> known(options.annotators.begin(),
                                                options.annotators.end());
    VotesBuilder builder(options.scale);
    std::uint64_t rows = 0;
    while (reader.next()) {
        ++rows;
        const std::string_view who = trimmed(reader[annotator]), what = trimmed(reader[item]),
                               which = trimmed(reader[label]), said = trimmed(reader[answer]);
        // The message is made only while examples are wanted: a table of a million bad rows costs
        // no million messages.
        const auto problem = [&](std::string_view kind, const auto& message) {
            builder.problems().add(
                kind, [&] { return fmt::format("{}: {}", reader.where(), message()); });
        };
        if (who.empty() || what.empty() || which.empty()) {
            const std::size_t column = who.empty() ? annotator : what.empty() ? item : label;
            problem("vote without an annotator, image or label",
                    [&] { return fmt::format("no {}", reader.columns()[column]); });
            continue;
        }
        if (!known.empty() && known.find(std::string(who)) == known.end()) {
            problem("unknown annotator", [&] {
                return fmt::format("annotator `{}`{}", shortened(who),
                                   suggest(shortened(who), options.annotators));
            });
            continue;
        }
        const int found = options.scale.find(said);
        if (found < 0) {
            problem("unknown answer", [&] {
                return said.empty() ? std::string("no answer")
                                    : fmt::format("answer `{}`{}", shortened(said),
                                                  suggest(shortened(said), options.scale.names));
            });
            continue;
        }
        const std::uint32_t r = builder.annotator(who);
        builder.add(r, builder.question(what, which), static_cast<std::uint32_t>(found));
    }
    Votes votes = builder.build(options.repeats, source, options.meanings);
    votes.read = rows;
    return votes;
}

}  // namespace assay
