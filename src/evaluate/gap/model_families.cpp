#include "evaluate/gap/model_families.h"

#include <unordered_map>

#include <fmt/format.h>

#include "assay/error.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/text.h"

namespace assay {

std::vector<std::pair<std::string, std::string>> read_families(const std::filesystem::path& path) {
    const std::string text = read_text(path, std::uint64_t{16} << 20U);
    CsvReader csv(text, path.filename().string());
    const std::size_t model_column = csv.column({"model", "name"}),
                      family_column = csv.column({"family"});
    std::vector<std::pair<std::string, std::string>> out;
    std::unordered_map<std::string, std::size_t> line_of;
    while (csv.next()) {
        std::string model(trimmed(csv[model_column])), family(trimmed(csv[family_column]));
        if (model.empty()) throw csv.error("a model without a name");
        if (family.empty())
            throw csv.error(fmt::format("`{}` has no family; omit the row for a model of its own",
                                        shortened(model)));
        const auto [earlier, fresh] = line_of.emplace(model, csv.line());
        if (!fresh)
            throw csv.error(
                fmt::format("model `{}` is already on line {}", shortened(model), earlier->second));
        out.emplace_back(std::move(model), std::move(family));
    }
    if (out.empty())
        throw Error(ErrorCode::bad_input,
                    path.filename().string() + ": the file has a header but no model");
    return out;
}

}  // namespace assay
