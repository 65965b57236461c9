#include "data/column_words.h"

#include <algorithm>
#include <array>

#include "core/text.h"

namespace assay {
namespace {

struct KnownWord {
    std::string_view key;
    ColumnWord word;
};

/// The words, sorted by rank.
constexpr std::array known_words = [] {
    using enum ColumnWord;
    return std::to_array<KnownWord>({
        {"path", image},
        {"image", image},
        {"filename", image},
        {"file", image},
        {"imagepath", image},
        {"imagename", image},
        {"imageid", image},
        {"img", image},
        {"filepath", image},
        {"imagefile", image},
        {"imagefilename", image},
        {"imagefilepath", image},
        {"imgpath", image},
        {"imgname", image},
        {"imgfile", image},
        {"imgid", image},
        {"fname", image},
        {"filenames", image},
        {"filepaths", image},
        {"files", image},
        {"images", image},
        {"relativepath", image},
        {"relpath", image},
        {"isicid", image},
        {"idcode", image},
        {"photoid", image},
        {"photo", image},
        {"picture", image},
        {"id", id},
        {"itemid", id},
        {"sampleid", id},
        {"item", id},
        {"predictionstring", boxes},
        {"labels", labels},
        {"tags", labels},
        {"label", label},
        {"class", label},
        {"classid", label},
        {"classlabel", label},
        {"classidx", label},
        {"classindex", label},
        {"classname", label},
        {"category", label},
        {"categoryid", label},
        {"categoryname", label},
        {"target", label},
        {"targets", label},
        {"truth", label},
        {"groundtruth", label},
        {"groundtruthlabel", label},
        {"gt", label},
        {"gtlabel", label},
        {"ytrue", label},
        {"truelabel", label},
        {"labeltrue", label},
        {"trueclass", label},
        {"labelid", label},
        {"labelidx", label},
        {"labelindex", label},
        {"labelname", label},
        {"finelabel", label},
        {"wnid", label},
        {"synset", label},
        {"synsetid", label},
        {"species", label},
        {"breed", label},
        {"diagnosis", label},
        {"dx", label},
        {"pred", predicted},
        {"preds", predicted},
        {"prediction", predicted},
        {"predictions", predicted},
        {"predicted", predicted},
        {"ypred", predicted},
        {"predlabel", predicted},
        {"predictedlabel", predicted},
        {"labelpred", predicted},
        {"predictedclass", predicted},
        {"predclass", predicted},
        {"split", split},
        {"subset", split},
        {"set", split},
        {"partition", split},
        {"fold", split},
        {"usage", split},
        {"phase", split},
        {"istraining", split},
        {"istrainingimage", split},
        {"x", geometry},
        {"y", geometry},
        {"w", geometry},
        {"h", geometry},
        {"x0", geometry},
        {"y0", geometry},
        {"x1", geometry},
        {"y1", geometry},
        {"x2", geometry},
        {"y2", geometry},
        {"xmin", geometry},
        {"ymin", geometry},
        {"xmax", geometry},
        {"ymax", geometry},
        {"xcenter", geometry},
        {"ycenter", geometry},
        {"left", geometry},
        {"top", geometry},
        {"right", geometry},
        {"bottom", geometry},
        {"width", geometry},
        {"height", geometry},
        {"depth", geometry},
        {"channels", geometry},
        {"imagewidth", geometry},
        {"imageheight", geometry},
        {"area", geometry},
        {"bbox", geometry},
        {"box", geometry},
        {"group", attribute},
        {"background", attribute},
        {"shape", attribute},
        {"texture", attribute},
        {"parent", attribute},
        {"condition", attribute},
        {"corruption", attribute},
        {"severity", attribute},
        {"domain", attribute},
        {"place", attribute},
        {"source", attribute},
        {"url", attribute},
        {"license", attribute},
        {"site", attribute},
        {"camera", attribute},
        {"age", attribute},
        {"sex", attribute},
        {"gender", attribute},
        {"date", attribute},
        {"datetime", attribute},
        {"timestamp", attribute},
        {"index", attribute},
        {"confidence", attribute},
        {"loss", attribute},
        {"epoch", attribute},
    });
}();

bool all_digits(std::string_view text) {
    return text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// "roix1" and "bboxxmin" are box sides, like "x1" and "xmin".
std::string_view without_box(std::string_view key) {
    for (const std::string_view box : {"roi", "bbox", "box"}) {
        if (key.starts_with(box) && key.size() > box.size()) return key.substr(box.size());
    }
    return key;
}

const KnownWord* find_word(std::string_view key) {
    const auto found = std::ranges::find(known_words, key, &KnownWord::key);
    return found == known_words.end() ? nullptr : &*found;
}

}  // namespace

std::string column_key(std::string_view name) {
    std::string key;
    for (const char c : name) {
        const char small = lower(c);
        const bool ascii = static_cast<unsigned char>(c) < 0x80;
        if (!ascii || (small >= 'a' && small <= 'z') || (small >= '0' && small <= '9'))
            key += small;
    }
    return key;
}

ColumnMeaning column_meaning(std::string_view name) {
    if (trimmed(name).empty()) return {ColumnWord::row_number, 0};
    const std::string key = column_key(name);
    constexpr std::string_view unnamed = "unnamed";  // pandas' "Unnamed: 0"
    if (key.starts_with(unnamed) && all_digits(std::string_view(key).substr(unnamed.size())))
        return {ColumnWord::row_number, 0};
    const KnownWord* found = find_word(key);
    if (found == nullptr) {
        found = find_word(without_box(key));
        if (found != nullptr && found->word != ColumnWord::geometry) found = nullptr;
    }
    if (found == nullptr) return {};
    return {found->word, static_cast<std::size_t>(found - known_words.data())};
}

}  // namespace assay
