#include "audit/checked_labels.h"

#include <algorithm>

#include <fmt/format.h>

#include "annotation/item_finder.h"
#include "assay/annotation/votes.h"
#include "core/text.h"

namespace assay::audit {
namespace {

struct LabelCounts {
    std::uint64_t yes = 0, no = 0, cannot = 0;
};
struct VotedImage {
    std::map<std::int32_t, LabelCounts> labels;
    std::uint64_t choosers = 0;  ///< people who named one class
};

class VoteReading {
public:
    explicit VoteReading(const Dataset& dataset) : dataset_(dataset), finder_(dataset) {}

    void add(const std::filesystem::path& file, int threads, CheckedLabels& out) {
        VotesOptions options;
        options.threads = threads;
        const Votes votes = read_votes(file, options);
        std::vector<std::int64_t> rows;
        for (std::size_t i = 0; i < votes.items.size(); ++i)
            rows.push_back(finder_.find(votes.items[i]).item);
        std::vector<std::int32_t> classes;
        for (std::size_t i = 0; i < votes.labels.size(); ++i)
            classes.push_back(class_of(votes.labels[i]));
        for (std::size_t q = 0; q < votes.questions(); ++q) {
            const std::int64_t row = rows[votes.question_item[q]];
            const std::int32_t cls = classes[votes.question_label[q]];
            if (row < 0 || cls < 0) {
                out.ignored += votes.of(q).size();
                continue;
            }
            VotedImage& image = images_[static_cast<std::uint64_t>(row)];
            LabelCounts& counts = image.labels[cls];
            for (const std::uint32_t code : votes.of(q)) {
                const std::size_t answer = code % votes.answers();
                const bool yes = answer + 1 == votes.answers();
                if (votes.which_class) {
                    counts.yes += yes ? 1 : 0;
                    image.choosers += yes ? 1 : 0;
                } else {
                    ++(yes ? counts.yes : answer == 0 ? counts.no : counts.cannot);
                }
            }
        }
        for (const std::string& note : votes.notes)
            out.notes.push_back(fmt::format("{}: {}", file.filename().string(), note));
        for (const VoteProblems::Kind& kind : votes.problems.kinds())
            out.notes.push_back(fmt::format("{}: {} {}; first: {}", file.filename().string(),
                                            kind.count, kind.what, kind.examples.front()));
    }

    void finish(CheckedLabels& out) const {
        for (const auto& [row, image] : images_) {
            const std::int32_t given = dataset_.single_label(row);
            CheckedLabel checked;
            bool about_given = image.choosers > 0;
            for (const auto& [cls, counts] : image.labels) {
                // Whoever named another class said no to this one.
                const std::uint64_t no = image.choosers > 0
                                             ? image.choosers - std::min(image.choosers, counts.yes)
                                             : counts.no;
                about_given = about_given || cls == given;
                if (counts.yes > no) checked.classes.push_back(cls);
                const std::uint64_t all = counts.yes + counts.no + counts.cannot;
                if (cls == given && all > 0 && 5 * counts.cannot >= 4 * all)
                    checked.cannot_be_judged = true;
            }
            if (about_given || !checked.classes.empty()) out.of[row] = std::move(checked);
        }
    }

private:
    std::int32_t class_of(std::string_view text) const {
        if (const auto named = dataset_.classes.find(text)) return *named;
        std::uint64_t number = 0;
        if (dataset_.classes.empty() && parse_number(text, number) && number < 1'000'000'000)
            return static_cast<std::int32_t>(number);
        return -1;
    }

    const Dataset& dataset_;
    ItemFinder finder_;
    std::map<std::uint64_t, VotedImage> images_;
};

}  // namespace

CheckedLabels read_checked(const AuditOptions& options, const Dataset& dataset) {
    CheckedLabels out;
    VoteReading votes(dataset);
    for (const std::filesystem::path& file : options.confirm) votes.add(file, options.threads, out);
    votes.finish(out);
    for (const std::filesystem::path& file : options.labels) {
        LabelMatch match;
        const LabelSets sets = read_label_sets(file, dataset, dataset.classes, &match);
        out.ignored += match.others;
        for (std::size_t row = 0; row < sets.size(); ++row) {
            if (sets[row].empty()) continue;
            out.of[row] = {.cannot_be_judged = false,
                           .classes = {sets[row].begin(), sets[row].end()}};
        }
    }
    return out;
}

}  // namespace assay::audit
