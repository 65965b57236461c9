// The questions about drawn images, for annotators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "few_labels/known.h"
#include "few_labels/pool.h"
#include "few_labels/sample.h"

namespace assay::few_labels {

class QuestionTable {
public:
    /// Both must outlive it.
    QuestionTable(const Pool& pool, const KnownAnswers& known);
    ~QuestionTable();
    /// A question for each distinct label that classifiers from `first` on predict, and no earlier
    /// one does. Labels with a known answer are skipped and counted.
    void add(const SampledImage& image, std::size_t first = 0);

    const std::string& csv() const noexcept { return text_; }
    std::uint64_t questions() const noexcept { return questions_; }
    std::uint64_t spared() const noexcept { return spared_; }

private:
    struct Writer;
    const Pool& pool_;
    const KnownAnswers& known_;
    std::string text_;
    std::unique_ptr<Writer> writer_;
    std::uint64_t questions_ = 0, spared_ = 0;
};

}  // namespace assay::few_labels
