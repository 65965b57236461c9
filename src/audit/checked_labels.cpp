#include "audit/checked_labels.h"

#include <algorithm>

#include <fmt/format.h>

#include "annotation/item_finder.h"
#include "assay/annotation/votes.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/label_rows.h"

namespace assay::audit {
namespace {

struct LabelCounts {
    std::uint64_t yes = 0, no = 0, cannot = 0;
    std::uint64_t chosen = 0;  ///< by people who named one class
};
struct VotedImage {
    std::map<std::int32_t, LabelCounts> labels;
    std::uint64_t choosers = 0;  ///< people who named one class, known or not
    std::uint64_t used = 0;      ///< answers about known classes
};

void require_class(const std::filesystem::path& file, std::uint64_t number, std::uint32_t classes) {
    if (number < classes) return;
    refuse(
        fmt::format("{}: label {} is no class of the scores, which are 0 to {}. To give the "
                    "classes names, type `assay relabel RUNS/DATA_SET --classes FILE`",
                    file.string(), number, classes - 1));
}

class VoteReading {
public:
    VoteReading(const Dataset& dataset, std::uint32_t number_of_classes)
        : dataset_(dataset), number_of_classes_(number_of_classes), finder_(dataset) {}

    void add(const std::filesystem::path& file, int threads, CheckedLabels& out) {
        VotesOptions options;
        options.threads = threads;
        const Votes votes = read_votes(file, options);
        std::vector<std::int64_t> rows;
        for (std::size_t i = 0; i < votes.items.size(); ++i)
            rows.push_back(finder_.find(votes.items[i]).item);
        std::vector<std::int32_t> classes;
        for (std::size_t i = 0; i < votes.labels.size(); ++i)
            classes.push_back(class_of(votes.labels[i], file));
        for (std::size_t q = 0; q < votes.questions(); ++q) {
            const std::int64_t row = rows[votes.question_item[q]];
            const std::int32_t cls = classes[votes.question_label[q]];
            const std::span<const std::uint32_t> codes = votes.of(q);
            // The answers of no that follow from the choice of another class are no answers.
            const auto yes =
                static_cast<std::uint64_t>(std::ranges::count_if(codes, [&](std::uint32_t code) {
                    return code % votes.answers() + 1 == votes.answers();
                }));
            const std::uint64_t given = votes.which_class ? yes : codes.size();
            if (row < 0 || cls < 0) out.ignored += given;
            if (row < 0 || given == 0) continue;
            VotedImage& image = images_[static_cast<std::uint64_t>(row)];
            if (votes.which_class) image.choosers += yes;
            if (cls < 0) continue;
            image.used += given;
            LabelCounts& counts = image.labels[cls];
            if (votes.which_class) {
                counts.chosen += yes;
                continue;
            }
            const auto no = static_cast<std::uint64_t>(std::ranges::count_if(
                codes, [&](std::uint32_t code) { return code % votes.answers() == 0; }));
            counts.yes += yes;
            counts.no += no;
            counts.cannot += codes.size() - yes - no;
        }
        for (const std::string& note : votes.notes)
            out.notes.push_back(fmt::format("{}: {}", file.filename().string(), note));
        for (const VoteProblems::Kind& kind : votes.problems.kinds())
            out.notes.push_back(fmt::format("{}: {} {}; first: {}", file.filename().string(),
                                            kind.count, kind.what, kind.examples.front()));
    }

    void finish(CheckedLabels& out) {
        for (auto& [row, image] : images_) {
            const std::int32_t given = dataset_.single_label(static_cast<std::size_t>(row));
            if (given < 0) {
                out.ignored += image.used;
                continue;
            }
            const LabelCounts about = image.labels[given];
            const std::uint64_t all = about.yes + about.no + about.cannot + image.choosers;
            if (all == 0) {
                if (out.half_answered++ == 0)
                    out.first_half_answered = dataset_.ids[static_cast<std::size_t>(row)];
                continue;
            }
            CheckedLabel checked;
            for (const auto& [cls, counts] : image.labels) {
                // Whoever named another class said no to this one.
                const std::uint64_t yes = counts.yes + counts.chosen;
                const std::uint64_t no = counts.no + image.choosers - counts.chosen;
                if (yes > no) checked.classes.push_back(cls);
                if (cls == given)
                    checked.cannot_be_judged = yes == no || 5 * counts.cannot >= 4 * all;
            }
            out.of[row] = std::move(checked);
        }
    }

private:
    std::int32_t class_of(std::string_view text, const std::filesystem::path& file) const {
        if (const auto named = dataset_.classes.find(text)) return *named;
        std::uint64_t number = 0;
        if (!dataset_.classes.empty() || !parse_number(text, number)) return -1;
        require_class(file, number, number_of_classes_);
        return static_cast<std::int32_t>(number);
    }

    const Dataset& dataset_;
    const std::uint32_t number_of_classes_;
    ItemFinder finder_;
    std::map<std::uint64_t, VotedImage> images_;
};

}  // namespace

CheckedLabels read_checked(const AuditOptions& options, const Dataset& dataset,
                           std::uint32_t classes) {
    CheckedLabels out;
    VoteReading votes(dataset, classes);
    for (const std::filesystem::path& file : options.confirm) votes.add(file, options.threads, out);
    votes.finish(out);
    for (const std::filesystem::path& file : options.labels) {
        LabelMatch match;
        std::vector<char> named;
        const LabelSets sets =
            read_label_sets(file, dataset, dataset.classes, match, out.notes, {.named = &named});
        out.ignored += match.others;
        for (std::size_t row = 0; row < sets.size(); ++row) {
            if (named[row] == 0) continue;
            if (dataset.single_label(row) < 0) {
                out.ignored += sets[row].empty() ? 0U : 1U;
                continue;
            }
            if (!sets[row].empty())
                require_class(file, static_cast<std::uint64_t>(sets[row].back()), classes);
            out.of[row] = {.cannot_be_judged = false,
                           .classes = {sets[row].begin(), sets[row].end()}};
        }
    }
    return out;
}

}  // namespace assay::audit
