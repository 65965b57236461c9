#include "mad/gold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "assay/error.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/paths.h"
#include "core/random.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/class_text.h"
#include "mad/answer_readers.h"
#include "mad/question_texts.h"
#include "study/study_tables.h"

namespace assay::mad {
namespace {

constexpr std::size_t most_compared_names = 200'000;

/// Finds the numbers of images that a gold file names. The data set may be large but the file is
/// not, so the data set is read once.
class GoldImages {
public:
    GoldImages(const Competition& competition, const std::filesystem::path& file)
        : competition_(competition),
          folder_(file.parent_path()),
          root_(competition.image_root().empty() ? std::filesystem::path()
                                                 : absolute_path(competition.image_root())) {
        for (const auto& [number, row] : read_images(competition.impl().database)) {
            if (number >= 0) continue;
            beside_[absolute_path(root_ / row.path).string()] = number;
            taken_.insert(row.id);
            next_ = std::min(next_, number - 1);
        }
    }
    void want(std::string name) {
        const std::filesystem::path path = absolute_path(folder_ / name);
        file_names_.insert(path.filename().string());
        same_file_[path.string()].push_back(name);
        wanted_.emplace(std::move(name), no_image);
    }
    void look() {
        const Dataset& dataset = competition_.dataset();
        for (std::size_t i = 0; i < dataset.size(); ++i) {
            const std::string id(dataset.ids[i]);
            const auto found = wanted_.find(id);
            if (found != wanted_.end()) found->second = static_cast<std::int64_t>(i);
            if (file_names_.count(id) > 0) taken_.insert(id);
        }
        const StringColumn& paths = dataset.paths.size() == 0 ? dataset.ids : dataset.paths;
        for (std::size_t i = 0; i < dataset.size(); ++i)
            found_at(std::string(paths[i]), static_cast<std::int64_t>(i));
        if (root_.empty()) return;
        // The file under other paths: as in questions.csv, or relative to the gold file's folder.
        for (std::size_t i = 0; i < dataset.size(); ++i) {
            const auto found = same_file_.find((root_ / paths[i]).lexically_normal().string());
            if (found == same_file_.end()) continue;
            for (const std::string& name : found->second)
                found_at(name, static_cast<std::int64_t>(i));
        }
    }
    /// Sets image, id and path.
    void find(const std::string& name, GoldEntry& entry, const std::string& where) {
        entry.image = wanted_.at(name);
        if (entry.image != no_image) return;
        const std::filesystem::path path = absolute_path(folder_ / name);
        if (!is_there(path) || is_folder(path)) {
            refuse(fmt::format("{}: `{}` is neither an image of the competition nor a file{}",
                               where, shortened(name), nearest(name)));
        }
        const std::filesystem::path below = path.lexically_relative(root_);
        const bool is_below = !root_.empty() && !below.empty() && *below.begin() != "..";
        entry.path = is_below ? below.string() : path.string();
        const auto [there, is_new] = beside_.emplace(path.string(), next_);
        entry.image = there->second;
        if (!is_new) return;
        --next_;
        entry.id = neutral_id(path);
        study::check_held(study::study_column("image", "id"), entry.id,
                          where + ": the name of the image");
    }

private:
    static constexpr std::int64_t no_image = INT64_MIN;

    void found_at(const std::string& name, std::int64_t image) {
        const auto found = wanted_.find(name);
        if (found != wanted_.end() && found->second == no_image) found->second = image;
    }
    /// A full path would reveal to annotators that the image is gold.
    std::string neutral_id(const std::filesystem::path& path) {
        std::string id = path.filename().string();
        const Dataset& dataset = competition_.dataset();
        const auto is_taken = [&](const std::string& name) {
            for (std::size_t i = 0; i < dataset.size(); ++i)
                if (dataset.ids[i] == name) return true;
            return taken_.count(name) > 0;
        };
        if (taken_.count(id) > 0) {
            int n = 2;
            do {
                id = fmt::format("{}-{}{}", path.stem().string(), n++, path.extension().string());
            } while (is_taken(id));
        }
        taken_.insert(id);
        return id;
    }

    std::string nearest(const std::string& name) const {
        const Dataset& dataset = competition_.dataset();
        if (dataset.size() > most_compared_names) return "";
        std::vector<std::string> ids;
        for (std::size_t i = 0; i < dataset.size(); ++i) ids.emplace_back(dataset.ids[i]);
        const std::string best = nearest_name(name, ids);
        return best.empty() ? "" : fmt::format("; did you mean `{}`?", best);
    }

    const Competition& competition_;
    std::filesystem::path folder_, root_;
    /// images by the paths of their files
    std::unordered_map<std::string, std::vector<std::string>> same_file_;
    std::set<std::string> file_names_, taken_;
    std::unordered_map<std::string, std::int64_t> wanted_;
    std::map<std::string, std::int64_t> beside_;
    std::int64_t next_ = -1;
};

struct GoldLine {
    std::string image, label, answer, where;
    std::size_t line = 0;
};

std::vector<GoldLine> gold_lines(std::string_view text, const std::string& source) {
    CsvReader row(text, source);
    const std::size_t image = row.column({"image", "path"});
    const std::size_t label = row.column({"label", "class"});
    const std::size_t answer = row.column({"answer", "gold"});
    std::vector<GoldLine> lines;
    while (row.next()) {
        lines.push_back({.image = from_spreadsheet(trimmed(row[image])),
                         .label = from_spreadsheet(trimmed(row[label])),
                         .answer = std::string(trimmed(row[answer])),
                         .where = row.where(),
                         .line = row.line()});
    }
    return lines;
}

std::uint64_t draw_order(std::uint64_t seed, const GoldEntry& entry) {
    // An image outside the data set is drawn by its path, because its number depends on earlier
    // ones.
    return RandomStream(seed, entry.image < 0
                                  ? fmt::format("mad gold {} {}", entry.path, entry.label)
                                  : fmt::format("mad gold {} {}", entry.image, entry.label))
        .next_u64();
}

}  // namespace

std::vector<GoldEntry> read_gold(const Competition& competition,
                                 const std::filesystem::path& file) {
    const MappedFile bytes(file);
    const std::vector<GoldLine> lines = gold_lines(bytes.text(), file.string());
    GoldImages images(competition, file);
    for (const GoldLine& line : lines) images.want(line.image);
    images.look();

    std::vector<GoldEntry> entries;
    std::map<QuestionKey, std::size_t> seen;
    for (const GoldLine& line : lines) {
        GoldEntry entry;
        entry.line = line.line;
        if (line.image.empty()) refuse(fmt::format("{}: it names no image", line.where));
        images.find(line.image, entry, line.where);
        const std::optional<std::int32_t> label = competition.classes().find(line.label);
        if (!label) {
            refuse(
                fmt::format("{}: {}", line.where, not_a_class(competition.classes(), line.label)));
        }
        entry.label = static_cast<std::uint16_t>(*label);
        const std::optional<Answer> answer = answer_named(line.answer);
        if (!answer || *answer == Answer::cannot_say) {
            refuse(fmt::format("{}: the known answer is `{}`; allowed: yes, no", line.where,
                               shortened(line.answer)));
        }
        entry.yes = *answer == Answer::yes;
        const auto [first, is_new] =
            seen.emplace(QuestionKey{entry.image, entry.label}, entries.size());
        if (is_new) {
            entries.push_back(std::move(entry));
        } else if (entries[first->second].yes != entry.yes) {
            refuse(fmt::format("{}: `{}` for `{}` in `{}` contradicts line {}, which says `{}`",
                               line.where, entry.yes ? "yes" : "no",
                               competition.classes().name(entry.label), shortened(line.image),
                               entries[first->second].line,
                               entries[first->second].yes ? "yes" : "no"));
        }
    }
    return entries;
}

GoldRound draw_gold(Competition& competition, const Tally& tally,
                    const std::vector<GoldEntry>& entries, const std::filesystem::path& file,
                    QuestionWriter& writer) {
    Database& database = competition.impl().database;
    std::map<QuestionKey, const QuestionRow*> known;
    for (const QuestionRow& row : tally.questions)
        if (row.gold) known[{row.image, row.label}] = &row;
    GoldRound round;
    round.gold = known.size();

    const auto record = [&](const GoldEntry& entry) {
        const QuestionKey key{entry.image, entry.label};
        if (entry.image >= 0) {
            note_images(competition, {static_cast<std::uint64_t>(entry.image)});
        } else {
            database
                .prepare(
                    "INSERT INTO image (number, id, path) VALUES (?, ?, ?) "
                    "ON CONFLICT (number) DO NOTHING")
                .run(entry.image, entry.id, entry.path);
        }
        writer.add(key);
        const std::string subject = fmt::format(
            "{} in {}", competition.classes().id(entry.label),
            entry.image < 0
                ? entry.path
                : std::string(competition.dataset().ids[static_cast<std::size_t>(entry.image)]));
        writer.make_gold(key, entry.yes,
                         decide(database, DecisionKind::gold, subject, entry.yes ? "yes" : "no",
                                fmt::format("{} line {}", file.string(), entry.line)));
        ++round.gold;
    };

    std::vector<const GoldEntry*> pool;
    for (const GoldEntry& entry : entries) {
        const QuestionKey key{entry.image, entry.label};
        if (const auto found = known.find(key); found != known.end()) {
            if (*found->second->gold == entry.yes) continue;
            refuse(fmt::format(
                "{} line {}: `{}` for question {} (`{}`) contradicts its earlier known answer, "
                "`{}`",
                file.string(), entry.line, entry.yes ? "yes" : "no", found->second->token,
                competition.classes().name(entry.label), entry.yes ? "no" : "yes"));
        }
        if (writer.has(key)) {
            record(entry);
            ++round.known;
        } else {
            pool.push_back(&entry);
        }
    }
    const double proportion = competition.settings().gold;
    const auto others = static_cast<double>(writer.questions() - round.gold);
    round.wanted =
        static_cast<std::uint64_t>(std::ceil(others * proportion / (1 - proportion) - 1e-9));

    const std::uint64_t seed = competition.settings().seed;
    std::sort(pool.begin(), pool.end(), [&](const GoldEntry* a, const GoldEntry* b) {
        const std::uint64_t of_a = draw_order(seed, *a), of_b = draw_order(seed, *b);
        return of_a != of_b ? of_a < of_b : a->line < b->line;
    });
    for (const GoldEntry* const entry : pool) {
        if (round.gold >= round.wanted) break;
        record(*entry);
        ++round.added;
    }
    return round;
}

}  // namespace assay::mad
