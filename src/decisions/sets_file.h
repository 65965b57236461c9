// The csv of the sets of each image.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "containers/described_csv.h"
#include "core/file_stream.h"
#include "decisions/set_row.h"

namespace assay::decisions {

/// Replaces the file as a whole at commit(); without it, the file does not change. It is written
/// store by store, so that memory does not grow with their number.
class SetsFile {
public:
    explicit SetsFile(const std::filesystem::path& path) : file_(path), csv_(text_) {}

    DescribedCsv<SetRow>& csv() { return csv_; }
    /// Writes the rows since the last call.
    void flush() {
        file_.write(text_);
        text_.clear();
        kept_ = 0;
    }
    /// Forgets these rows.
    void drop() { text_.resize(kept_); }
    void commit() {
        flush();
        file_.commit();
    }

private:
    FileStream file_;
    std::string text_;
    DescribedCsv<SetRow> csv_;
    std::size_t kept_ = text_.size();  ///< the header, until it is written
};

}  // namespace assay::decisions
