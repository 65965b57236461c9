#include "assay/replication/study.h"
#include "assay/store/open_labelled.h"

namespace assay::replication {

LabelCounts read_label_counts(const std::filesystem::path& path, std::vector<std::string>& notes) {
    const Dataset dataset = open_labelled(path, {}, &notes);
    LabelCounts out;
    out.source = path.filename().empty() ? path.string() : path.filename().string();
    out.images = dataset.ids;
    out.labels.reserve(dataset.size());
    for (std::size_t i = 0; i < dataset.size(); ++i)
        out.labels.push_back(static_cast<std::uint32_t>(dataset.labels[i].size()));
    return out;
}

}  // namespace assay::replication
