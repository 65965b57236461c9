#include "containers/parquet/column_cursor.h"

namespace assay::parquet {

std::optional<std::span<const std::byte>> ColumnCursor::next() {
    const ColumnIndex::ReadDictionary dictionary = [&](std::size_t page) {
        if (dictionary_page_ != page) {
            dictionary_ = std::make_shared<const Page>(column_.read(source_, page, nullptr));
            dictionary_page_ = page;
        }
        return dictionary_;
    };
    while (!page_ || at_ == page_->size()) {
        const std::size_t number = next_page_++;
        if (column_.rows_of(number) == 0) continue;
        page_.reset();  // avoids holding two pages at once
        page_ = column_.read(source_, number, dictionary);
        at_ = 0;
    }
    return (*page_)[at_++];
}

}  // namespace assay::parquet
