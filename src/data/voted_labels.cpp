#include "data/voted_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/file.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/crowd/crowd.h"

namespace assay {
namespace {

/// Distinct texts by number.
class TextPlaces {
public:
    std::uint32_t operator()(std::string text) {
        const auto next = static_cast<std::uint32_t>(places_.size());
        const auto [at, is_new] = places_.try_emplace(std::move(text), next);
        if (is_new) texts.append(at->first);
        return at->second;
    }
    StringColumn texts;

private:
    std::unordered_map<std::string, std::uint32_t> places_;
};

[[noreturn]] void refuse_votes(const std::filesystem::path& path, const std::string& what) {
    refuse(fmt::format(
        "{} holds votes: {}. Disagreement is not several valid labels. Combine the votes first: "
        "`assay labels aggregate {} --label-sets labels.json`",
        path.filename().string(), what, path.string()));
}

}  // namespace

std::optional<VotedLabels> read_voted_labels(const std::filesystem::path& path) {
    constexpr std::array texts = {".csv", ".tsv", ".json", ".jsonl", ".manifest", ".xml"};
    const std::string extension = lower_extension(path.string());
    if (std::ranges::find(texts, extension) == texts.end()) return std::nullopt;
    const MappedFile file(path);
    const crowd::Layout layout = crowd::layout_of(file.text());
    if (layout == crowd::Layout::none) return std::nullopt;
    VotedLabels out;
    TextPlaces items, labels, annotators;
    std::vector<std::uint32_t> annotator_of;  // by item
    const crowd::Sink sink{
        .take =
            [&](const crowd::Vote& vote, const crowd::Where& where) {
                if (!vote.label.empty()) {
                    refuse_votes(path,
                                 fmt::format("{} is an answer to whether `{}` fits `{}`", where(),
                                             shortened(vote.label), shortened(vote.item)));
                }
                if (vote.item.empty() || vote.answer.empty()) return;
                const std::uint32_t item = items(crowd::image_of_address(vote.item)),
                                    by = annotators(std::string(vote.annotator));
                if (item == annotator_of.size()) annotator_of.push_back(by);
                if (annotator_of[item] != by) {
                    refuse_votes(path,
                                 fmt::format("`{}` and `{}` both labelled `{}`",
                                             shortened(annotators.texts[annotator_of[item]]),
                                             shortened(vote.annotator), shortened(vote.item)));
                }
                out.pairs.emplace_back(item, labels(std::string(vote.answer)));
            },
        .problem = [&](std::string_view,
                       const crowd::Where& message) { refuse_votes(path, message()); }};
    out.notes = crowd::read_votes(file.text(), path.filename().string(), sink).notes;
    if (!crowd::is_of_a_tool(layout)) return std::nullopt;
    out.items = std::move(items.texts);
    out.labels = std::move(labels.texts);
    return out;
}

}  // namespace assay
