// Reads any bytes as a PASCAL-VOC annotation. The result is rows or an Error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "assay/error.h"
#include "assay/patchml/boxes.h"
#include "patchml/box_readers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    assay::BoxList list;
    assay::BoxListBuilder out(list);
    out.source("x.xml");
    try {
        assay::parse_voc({reinterpret_cast<const char*>(data), size}, "x", out);
        // Everything that was read is a row or is listed, and names the one image.
        if (list.images.size() != 1) std::abort();
    } catch (const assay::Error&) {
    }
    for (const auto& row : list.rows) {
        if (row.image >= list.images.size() || row.cls >= list.classes.size()) std::abort();
    }
    (void)assay::rejected_csv(list.rejected);
    return 0;
}
