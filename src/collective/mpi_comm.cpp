// Comm over MPI, through the plug-in's C functions (mpi/assay_mpi.h).
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <optional>
#include <utility>

#include "assay/collective/mpi.h"
#include "assay/error.h"
#include "collective/mpi/assay_mpi.h"
#include "collective/root.h"
#include "core/plugin_folders.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr const char* site_plugin = "libassay_mpi.so";
constexpr const char* openmpi_plugin = "libassay_openmpi.so";
constexpr const char* mpich_plugin = "libassay_mpich.so";

/// The files of plug-ins to try, the most likely first.
std::vector<std::string> plugin_files(const Launch& launch, std::string_view wish) {
    if (wish == "openmpi") return {openmpi_plugin};
    if (wish == "mpich") return {mpich_plugin};
    if (launch.by.starts_with("MPICH")) return {site_plugin, mpich_plugin};
    if (launch.by.starts_with("Open MPI")) return {site_plugin, openmpi_plugin};
    return {site_plugin, openmpi_plugin, mpich_plugin};
}

std::string wished_plugin() {
    const char* variable = std::getenv("ASSAY_MPI");
    return variable != nullptr ? variable : "";
}

fs::path find_mpi_plugin(const Launch& launch) {
    const std::string wish = wished_plugin();
    if (wish.find('/') != std::string::npos) return wish;
    if (!wish.empty() && wish != "openmpi" && wish != "mpich" && wish != "auto") {
        throw Error(ErrorCode::usage,
                    fmt::format("ASSAY_MPI={}: allowed are auto, openmpi, mpich, off, and the path "
                                "of a plug-in",
                                wish));
    }
    const std::vector<std::string> files = plugin_files(launch, wish);
    std::string searched;
    for (const std::string& file : files) {
        if (const auto found = find_in_folders(plugin_folders(), file, &searched)) return *found;
    }
    throw Error(
        ErrorCode::usage,
        fmt::format("{} started {} processes, and the plug-in for MPI ({}) is in none of: {}. "
                    "Compile it with your MPI (mpicc -O2 -shared -fPIC -o libassay_mpi.so "
                    "assay_mpi.c) and set ASSAY_MPI=/path/to/libassay_mpi.so. Set ASSAY_MPI=off if "
                    "each process works independently",
                    launch.by, launch.size, fmt::join(files, ", "), searched));
}

assay_mpi& plugin_in(const fs::path& path) {
    // RTLD_LOCAL, because other libraries such as LibTorch must not resolve their symbols to MPI's.
    // The library is never closed.
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* reason = dlerror();
        throw Error(ErrorCode::usage, fmt::format("the plug-in for MPI cannot be opened: {}",
                                                  reason != nullptr ? reason : "no reason given"));
    }
    const auto entry =
        reinterpret_cast<decltype(&assay_mpi_plugin)>(dlsym(library, ASSAY_MPI_ENTRY));
    assay_mpi* plugin = entry == nullptr ? nullptr : entry();
    if (plugin == nullptr || plugin->interface_version != ASSAY_MPI_INTERFACE) {
        throw Error(ErrorCode::usage, fmt::format("{} is not a plug-in for MPI of this version of "
                                                  "assay; compile its assay_mpi.c again",
                                                  path.string()));
    }
    return *plugin;
}

class MpiComm final : public Comm {
public:
    MpiComm(assay_mpi& plugin, const assay_mpi_place& place)
        : plugin_(plugin),
          rank_(place.rank),
          size_(place.size),
          on_one_machine_(place.node_size == place.size) {}

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    bool on_one_machine() const override { return on_one_machine_; }

    std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> mine) override {
        const std::vector<std::uint64_t> sizes = numbers(mine.size());
        std::vector<std::byte> all(sum(sizes));
        check(plugin_.all_gather(mine.data(), sizes.data(), all.data()));
        return cut(all, sizes);
    }

    std::vector<std::vector<std::byte>> gather(std::span<const std::byte> mine, int root) override {
        check_root(root, size_);
        const std::vector<std::uint64_t> sizes = numbers(mine.size());
        std::vector<std::byte> all(rank_ == root ? sum(sizes) : 0);
        check(plugin_.gather(mine.data(), sizes.data(), all.data(), root));
        return rank_ == root ? cut(all, sizes) : std::vector<std::vector<std::byte>>();
    }

    std::vector<std::byte> broadcast(std::span<const std::byte> mine, int root) override {
        check_root(root, size_);
        const std::vector<std::uint64_t> sizes = numbers(mine.size());
        std::vector<std::byte> bytes(sizes[static_cast<std::size_t>(root)]);
        if (rank_ == root) std::copy(mine.begin(), mine.end(), bytes.begin());
        check(plugin_.broadcast(bytes.data(), bytes.size(), root));
        return bytes;
    }

    void all_reduce(std::span<std::int64_t> values) override {
        const std::vector<std::uint64_t> sizes = numbers(values.size());
        const auto range = std::minmax_element(sizes.begin(), sizes.end());
        if (*range.first != *range.second) {
            throw Error(ErrorCode::internal,
                        fmt::format("a sum over processes that have {} to {} numbers each",
                                    *range.first, *range.second));
        }
        std::int32_t overflow = 0;
        check(plugin_.all_reduce(values.data(), values.size(), &overflow));
        if (overflow != 0)
            throw Error(ErrorCode::internal, "a sum over the ranks does not fit into 64 bits");
    }

    void barrier() override { check(plugin_.barrier()); }

private:
    void check(int refused) const {
        if (refused != 0)
            throw Error(ErrorCode::io,
                        fmt::format("MPI between the ranks failed: {}", plugin_.problem));
    }
    std::vector<std::uint64_t> numbers(std::uint64_t mine) const {
        std::vector<std::uint64_t> all(static_cast<std::size_t>(size_));
        check(plugin_.all_gather_numbers(&mine, all.data()));
        return all;
    }
    static std::uint64_t sum(const std::vector<std::uint64_t>& sizes) {
        return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
    }
    static std::vector<std::vector<std::byte>> cut(const std::vector<std::byte>& all,
                                                   const std::vector<std::uint64_t>& sizes) {
        std::vector<std::vector<std::byte>> parts;
        auto at = all.begin();
        for (const std::uint64_t size : sizes) {
            const auto end = at + static_cast<std::ptrdiff_t>(size);
            parts.emplace_back(at, end);
            at = end;
        }
        return parts;
    }

    assay_mpi& plugin_;
    int rank_, size_;
    bool on_one_machine_;
};

/// MPI's callback takes no argument for an object, so this one is static.
std::function<void()>& on_wait() {
    static std::function<void()> call;
    return call;
}

/// The plug-in sends two numbers for each rank: its status with the code of its error above bit 32
/// (0 means none), and its message.
std::int64_t packed(const RankEnd& end) {
    const std::int64_t code = end.code ? static_cast<std::int64_t>(*end.code) + 1 : 0;
    return (code << 32U) | static_cast<std::uint32_t>(end.status);
}
RankEnd unpacked(std::int64_t packed, std::int64_t message) {
    const std::int64_t code = packed >> 32U;
    return {.status = static_cast<int>(static_cast<std::uint32_t>(packed)),
            .message = message,
            .code = code > 0 ? std::optional(static_cast<ErrorCode>(code - 1)) : std::nullopt};
}

class PluginRanks final : public MpiRanks {
public:
    PluginRanks(assay_mpi& plugin, const assay_mpi_place& place)
        : plugin_(plugin),
          library_(plugin.library),
          rank_of_machine_(place.node_rank),
          ranks_of_machine_(place.node_size),
          comm_(plugin, place) {}

    Comm& comm() override { return comm_; }
    const std::string& library() const override { return library_; }
    int rank_of_machine() const override { return rank_of_machine_; }
    int ranks_of_machine() const override { return ranks_of_machine_; }

    std::vector<RankEnd> leave(const RankEnd& mine, double seconds) override {
        const std::int64_t own[2] = {packed(mine), mine.message};
        // This memory is never freed, because MPI may still write to it if a rank is late.
        ends_.resize(2 * static_cast<std::size_t>(comm_.size()));
        if (plugin_.leave(own, ends_.data(), seconds) != 0) return {};
        std::vector<RankEnd> all;
        for (std::size_t r = 0; r < ends_.size(); r += 2)
            all.push_back(unpacked(ends_[r], ends_[r + 1]));
        return all;
    }
    void finish() override { plugin_.finish(); }
    [[noreturn]] void abort(int status) override {
        plugin_.abort(status);
        std::_Exit(status);
    }

private:
    assay_mpi& plugin_;
    std::string library_;
    int rank_of_machine_;
    int ranks_of_machine_;
    MpiComm comm_;
    std::vector<std::int64_t> ends_;
};

}  // namespace

std::vector<MpiPlugin> mpi_plugins() {
    std::vector<MpiPlugin> found;
    const std::string wish = wished_plugin();
    std::error_code none;
    if (wish.find('/') != std::string::npos && fs::exists(wish, none))
        found.push_back({"as ASSAY_MPI says", wish});
    for (const auto& [mpi, file] :
         {std::pair("of this site", site_plugin), std::pair("Open MPI", openmpi_plugin),
          std::pair("MPICH", mpich_plugin)}) {
        if (const auto there = find_in_folders(plugin_folders(), file))
            found.push_back({mpi, *there});
    }
    return found;
}

std::unique_ptr<MpiRanks> open_mpi(const Launch& launch, const MpiOptions& options) {
    // Otherwise Open MPI would end the process itself, with a page of advice for its
    // developers.
    if (launch.by == "srun" && std::getenv("PMIX_RANK") == nullptr) {
        throw Error(
            ErrorCode::usage,
            fmt::format(
                "srun started {} processes without MPI: use `srun --mpi=pmix` (`srun --mpi=list` "
                "shows the choices), or set ASSAY_MPI=off if each process works alone",
                launch.size));
    }
    const fs::path path = find_mpi_plugin(launch);
    assay_mpi& plugin = plugin_in(path);
    on_wait() = options.waiting;
    assay_mpi_place place{};
    if (plugin.start(&place, options.piece, [] {
            if (on_wait()) on_wait()();
        }) != 0) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} does not start: {}", plugin.library, plugin.problem));
    }
    if (place.size != launch.size) {
        plugin.finish();
        throw Error(
            ErrorCode::usage,
            fmt::format(
                "{} started {} processes, and {} (of {}) counts {}: that MPI did not start them. "
                "Use its own mpirun, or `srun --mpi=pmix`; ASSAY_MPI=openmpi, mpich or a path "
                "chooses the plug-in, and with ASSAY_MPI=off each process works alone",
                launch.by, launch.size, plugin.library, path.string(), place.size));
    }
    return std::make_unique<PluginRanks>(plugin, place);
}

}  // namespace assay
