#include "mad/label_studio.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "core/json_text.h"
#include "mad/answer_readers.h"
#include "mad/question_texts.h"

namespace assay::mad {
namespace {

/// URL-encodes all but letters, digits and a few characters without special meaning.
std::string as_address(std::string_view path) {
    constexpr std::string_view plain = "/-_.~";
    std::string out;
    for (const char c : path) {
        const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || plain.find(c) != std::string_view::npos;
        out += kept ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

}  // namespace

nlohmann::json label_studio_task(const OpenQuestion& question, std::string_view prefix) {
    if (!prefix.empty() && !question.below) {
        throw Error(
            ErrorCode::usage,
            fmt::format("{}: this gold image is outside the folder of the images, so --prefix does "
                        "not work; omit --prefix, or put gold images into that folder",
                        question.relative_path));
    }
    const std::string image = prefix.empty()
                                  ? question.relative_path
                                  : std::string(prefix) + as_address(question.relative_path);
    return {{"data",
             {{"image", image},
              {"question", question_text(question.label_name)},
              {"question_id", question.token},
              {"image_id", question.image},
              {"label", question.label},
              {"label_name", question.label_name}}}};
}

nlohmann::json label_studio_result(Answer answer) {
    return {{"from_name", "answer"},
            {"to_name", "image"},
            {"type", "choices"},
            {"value", {{"choices", {study::words_for(answer).choice}}}}};
}

std::string label_studio_tasks(const std::vector<OpenQuestion>& questions,
                               std::string_view prefix) {
    // One task per line, because people read and compare a file of a million tasks by lines.
    std::string text = "[";
    for (std::size_t i = 0; i < questions.size(); ++i) {
        text += i == 0 ? "\n" : ",\n";
        text += json_line(label_studio_task(questions[i], prefix));
    }
    return text + "\n]\n";
}

std::string label_studio_config() {
    return fmt::format(R"(<View>
  <Header value="$question"/>
  <Image name="image" value="$image" zoom="true" zoomControl="true"/>
  <Choices name="answer" toName="image" choice="single-radio" showInline="true" required="true">
    <Choice value="{}" hotkey="1"/>
    <Choice value="{}" hotkey="2"/>
    <Choice value="{}" hotkey="3"/>
  </Choices>
</View>
)",
                       study::words_for(Answer::yes).choice, study::words_for(Answer::no).choice,
                       study::words_for(Answer::cannot_say).choice);
}

}  // namespace assay::mad
