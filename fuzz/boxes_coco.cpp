// Reads any bytes as COCO instances. The result is rows or an Error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "assay/error.h"
#include "assay/patchml/boxes.h"
#include "patchml/box_readers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    assay::BoxList list;
    assay::BoxListBuilder out(list);
    out.source("x.json");
    try {
        assay::parse_coco({reinterpret_cast<const char*>(data), size}, out);
    } catch (const assay::Error&) {
    }
    for (const auto& row : list.rows) {
        if (row.image >= list.images.size() || row.cls >= list.classes.size()) std::abort();
    }
    (void)assay::rejected_csv(list.rejected);
    return 0;
}
