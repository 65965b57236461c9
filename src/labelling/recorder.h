// Answers of the page into a book's tables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "assay/labelling/task.h"
#include "core/database.h"

namespace assay::labelling {

class Recorder {
public:
    explicit Recorder(Database& database);

    /// The row of an annotator of this name, made where there is none.
    std::int64_t annotator(std::string_view name);
    /// What is there under a key.
    enum class Known : std::uint8_t { nothing, same, other };
    Known find(std::string_view key, std::int64_t question, std::int64_t annotator, Answer answer);
    /// Notes that an annotator was given the screen that begins with this question.
    void give(std::int64_t question, std::int64_t annotator);
    /// From now on this one counts of the annotator's answers to the question. Throws bad_input:
    /// the key is there.
    void record(std::int64_t question, std::int64_t annotator, Answer answer, std::string_view key,
                std::string_view at, std::string_view source);

private:
    Database& database_;
    Statement of_key_, counting_, outdate_, insert_, give_;
};

}  // namespace assay::labelling
