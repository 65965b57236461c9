// Reads any bytes as a file of answers. The result is answers or an Error. Answers are written in a
// known form, and are the same when read again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "containers/csv.h"
#include "core/terminal_text.h"
#include "mad/answer_readers.h"
#include "mad/question_texts.h"
#include "scratch.h"
#include "study/times.h"

namespace {

void need(bool good) {
    if (!good) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace assay::mad;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    fuzz::attempt([&] {
        std::string again;
        assay::CsvWriter csv(again);
        csv.row({"question", "image", "label", "annotator", "answer", "at"});
        std::uint64_t found = 0;
        AnswerSink sink;
        sink.found = [&](const FoundAnswer& answer) {
            need(!answer.where.empty());
            need(answer_named(name_of(answer.answer)) == answer.answer);
            need(answer.at.empty() || assay::study::utc_moment_of(answer.at) == answer.at);
            // Bytes that are not UTF-8 become escapes.
            need(!assay::is_utf8(answer.annotator) ||
                 from_spreadsheet(for_spreadsheet(answer.annotator)) == answer.annotator);
            csv.row({"q", "i", "l", "a", name_of(answer.answer), answer.at});
            ++found;
        };
        read_found_answers(text, "answers", sink);
        AnswerSink second;
        std::uint64_t read = 0;
        second.found = [&](const FoundAnswer&) { ++read; };
        read_answers_csv(again, "again", second);
        need(read == found);
    });
    return 0;
}
