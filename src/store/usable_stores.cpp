#include "store/usable_stores.h"

#include <algorithm>
#include <exception>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/refuse.h"

namespace assay::store {
namespace {

/// The sentence names the folder, so its message need not begin with it. Stores know the absolute
/// path of their folder.
std::string without_folder(const std::string& message, const std::filesystem::path& folder) {
    for (const std::filesystem::path& path :
         {folder, std::filesystem::absolute(folder).lexically_normal()}) {
        const std::string start = path.string() + ": ";
        if (message.starts_with(start)) return message.substr(start.size());
    }
    return message;
}

}  // namespace

std::optional<PredictionStore> open_unless_damaged(const std::filesystem::path& folder) {
    try {
        return PredictionStore::open(folder);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        return std::nullopt;
    }
}

std::vector<std::string> use_stores(std::span<const std::filesystem::path> folders,
                                    std::string_view done,
                                    const std::function<void(const std::filesystem::path&)>& use) {
    std::vector<std::string> reasons, skipped;
    std::exception_ptr first;
    for (const std::filesystem::path& folder : folders) {
        try {
            use(folder);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input) throw;
            if (!first) first = std::current_exception();
            reasons.push_back(without_folder(error.message(), folder));
            skipped.push_back(
                fmt::format("`{}` is not {}: {}", folder.string(), done, reasons.back()));
        }
    }
    if (reasons.empty() || reasons.size() < folders.size()) return skipped;
    if (std::ranges::count(reasons, reasons[0]) == std::ssize(reasons))
        std::rethrow_exception(first);
    refuse(fmt::format("no store can be {}. {}", done, fmt::join(skipped, "; ")));
}

}  // namespace assay::store
