#include "data/voted_labels.h"

#include <fmt/format.h>

#include "core/file.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/crowd/crowd.h"
#include "data/crowd/parts.h"
#include "data/text_numbers.h"

namespace assay {
namespace {

[[noreturn]] void refuse_votes(const std::filesystem::path& path, const std::string& what) {
    refuse(fmt::format(
        "{} holds votes: {}. Disagreement is not several valid labels. Combine the votes first: "
        "`assay labels aggregate {} --label-sets labels.json`",
        path.filename().string(), what, path.string()));
}

/// The images. Only one person may have labeled each image.
class LabelledOnce {
public:
    explicit LabelledOnce(const std::filesystem::path& path) : path_(path) {}

    /// The image's index. Throws bad_input if somebody else has labeled it.
    std::uint32_t take(std::string_view name, std::string_view annotator) {
        const std::uint32_t item = items(crowd::image_of_address(name)),
                            by = annotators_(annotator);
        if (item == annotator_of_.size()) annotator_of_.push_back(by);
        if (annotator_of_[item] != by) {
            refuse_votes(path_, fmt::format("`{}` and `{}` both labelled `{}`",
                                            shortened(annotators_.texts()[annotator_of_[item]]),
                                            shortened(annotator), shortened(name)));
        }
        return item;
    }
    TextNumbers items;

private:
    const std::filesystem::path& path_;
    TextNumbers annotators_;
    std::vector<std::uint32_t> annotator_of_;  // by item
};

/// True if this is a table with people and without a column of answers. The readers of lists
/// interpret its other columns better, unless two people labeled one image.
bool is_list_with_people(std::string_view text, const std::string& source, LabelledOnce& images) {
    CsvReader row(text, source);
    if (row.find_column(crowd::answer_words)) return false;
    const auto item = row.find_column(crowd::item_words),
               annotator = row.find_column(crowd::annotator_words),
               label = row.find_column(crowd::label_words);
    if (!item || !annotator) return false;
    while (row.next()) {
        const std::string_view name = trimmed(row[*item]);
        const bool unsaid = label && crowd::says_nothing(row[*label]);
        if (!name.empty() && !unsaid) images.take(name, trimmed(row[*annotator]));
    }
    return true;
}

}  // namespace

std::optional<VotedLabels> read_voted_labels(const std::filesystem::path& path) {
    const std::string extension = lower_extension(path.string()), source = path.filename().string();
    if (!crowd::may_hold_votes(extension)) return std::nullopt;
    const MappedFile file(path);
    const crowd::Layout layout = crowd::layout_of(file.text());
    if (layout == crowd::Layout::none) return std::nullopt;
    const bool of_a_tool = crowd::is_of_a_tool(layout);
    LabelledOnce images(path);
    if (layout == crowd::Layout::table && is_list_with_people(file.text(), source, images))
        return std::nullopt;
    VotedLabels out;
    TextNumbers labels;
    std::uint64_t unnamed = 0, several = 0;
    bool further = false;  // as in the previous vote
    const crowd::Sink sink{
        .take =
            [&](const crowd::Vote& vote, const crowd::Where& where) {
                if (!vote.label.empty()) {
                    refuse_votes(path, fmt::format("{} answers whether `{}` fits `{}`", where(),
                                                   shortened(vote.label), shortened(vote.item)));
                }
                if (vote.item.empty() || vote.answer.empty()) {
                    ++unnamed;
                    return;
                }
                several += vote.further && !further ? 1U : 0U;
                further = vote.further;
                const std::uint32_t item = images.take(vote.item, vote.annotator);
                if (of_a_tool) out.pairs.emplace_back(item, labels(vote.answer));
            },
        .problem = [&](std::string_view,
                       const crowd::Where& message) { refuse_votes(path, message()); }};
    out.notes = crowd::read_votes(file.text(), layout, source, sink).notes;
    if (!of_a_tool) return std::nullopt;
    if (unnamed > 0)
        out.notes.push_back(
            fmt::format("{}: not used: {} without an image or an answer", source, unnamed));
    if (several > 0)
        out.notes.push_back(fmt::format("{}: {} chose several classes: all are valid labels",
                                        source, how_many(several, "answer")));
    out.items = images.items.take();
    out.labels = labels.take();
    return out;
}

}  // namespace assay
