#include "few_labels/question_table.h"

#include <map>

#include "assay/data/class_list.h"
#include "assay/describe_result.h"
#include "containers/described_csv.h"

namespace assay::few_labels {
namespace {

struct PoolQuestion {
    std::string_view item, path;
    std::string label, class_name, predicted_by;
};
ResultType result_type(ResultOf<PoolQuestion>) {
    using Of = PoolQuestion;
    static constexpr auto rows = describe_result<Of>(
        {.name = "PoolQuestion", .columns = "item,path,label,class,predicted_by"},
        {part<&Of::item>({}), part<&Of::path>({}), part<&Of::label>({}),
         part<&Of::class_name>({.name = "class"}), part<&Of::predicted_by>({})});
    return rows;
}

}  // namespace

struct QuestionTable::Writer {
    explicit Writer(std::string& text) : csv(text) {}
    DescribedCsv<PoolQuestion> csv;
};

QuestionTable::QuestionTable(const Pool& pool, const KnownAnswers& known)
    : pool_(pool), known_(known), writer_(std::make_unique<Writer>(text_)) {}

QuestionTable::~QuestionTable() = default;

void QuestionTable::add(const SampledImage& image, std::size_t first) {
    const Dataset& dataset = pool_.dataset();
    std::map<std::int32_t, std::string> by;
    for (std::size_t m = first; m < pool_.classifiers(); ++m) {
        std::string& names = by[image.predictions.labels[m]];
        names += (names.empty() ? "" : " ") + pool_.stores()[m].spec().model_name;
    }
    for (std::size_t m = 0; m < first; ++m) by.erase(image.predictions.labels[m]);
    for (const auto& [label, names] : by) {
        if (find_known(known_, image.row, label) != nullptr) {
            ++spared_;
            continue;
        }
        const auto c = static_cast<std::size_t>(label);
        const std::string number = std::to_string(label);
        writer_->csv.add(
            {dataset.ids[image.row],
             dataset.paths.size() > 0 ? dataset.paths[image.row] : dataset.ids[image.row],
             c < dataset.classes.size() ? dataset.classes.id(c) : number,
             c < dataset.classes.size() ? dataset.classes.name(c) : number, names});
        ++questions_;
    }
}

}  // namespace assay::few_labels
