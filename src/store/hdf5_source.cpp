// Reads arrays of scores in HDF5 files.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "containers/hdf5.h"
#include "containers/source_file.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/text.h"
#include "store/array_choice.h"
#include "store/score_source.h"
#include "store/spool.h"

namespace assay::store {
namespace {

std::vector<std::byte> hdf5_bytes(const ByteSource& npy, std::uint64_t most) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(npy.size(), most)));
    npy.read(0, bytes);
    return bytes;
}

std::shared_ptr<Spool> spooled(const ByteSource& npy, const std::filesystem::path& folder) {
    constexpr std::uint64_t piece = std::uint64_t{1} << 20;
    auto spool = std::make_shared<Spool>(folder);
    std::vector<std::byte> bytes;
    for (std::uint64_t at = 0; at < npy.size(); at += piece) {
        throw_if_stopped();
        bytes.resize(static_cast<std::size_t>(std::min(piece, npy.size() - at)));
        npy.read(at, bytes);
        spool->append(bytes);
    }
    return spool;
}

/// What is damaged in an array; "" for one that is sound but not supported.
std::string damage_of(const Hdf5Array& array) {
    if (!array.problem.starts_with("it is damaged")) return {};
    return fmt::format("the array `{}` is not read: {}", shortened(array.name), array.problem);
}

/// Keras stores each layer's weights in a group `vars`, and a matrix of weights looks like scores.
void refuse_weights(const std::vector<Hdf5Array>& arrays) {
    const auto weights = std::ranges::count_if(arrays, [](const Hdf5Array& array) {
        return array.name.find("vars/") != std::string::npos;
    });
    if (weights > 0)
        refuse(
            fmt::format("it holds the weights of a Keras model ({}), not predictions. To save "
                        "predictions: numpy.save('scores.npy', model.predict(images))",
                        how_many(static_cast<std::uint64_t>(weights), "array")));
}

}  // namespace

ScoreSource open_hdf5(const std::filesystem::path& file, const SourceOptions& options) {
    constexpr std::uint64_t enough_for_header = 512;
    const std::vector<Hdf5Array> arrays = read_hdf5(std::make_shared<const SourceFile>(file));
    refuse_weights(arrays);
    std::vector<ArrayCandidate> candidates;
    bool all_read = true;
    for (const Hdf5Array& array : arrays) {
        all_read = all_read && array.problem.empty();
        candidates.push_back(
            array.problem.empty()
                ? describe_array(array.name, hdf5_bytes(*array.npy, enough_for_header))
                : ArrayCandidate{.name = array.name,
                                 .described = fmt::format("({})", array.problem),
                                 .damage = damage_of(array)});
    }
    const std::size_t chosen =
        with_note(all_read ? "choosing an array"
                           : "some arrays are not supported; to convert the file to .npz: " +
                                 conversion_of(".h5", file),
                  [&] { return choose_array(candidates, options.array); });
    const Hdf5Array& array = arrays[chosen];
    return with_note(fmt::format("reading array `{:.60}`", array.name), [&] {
        if (!array.problem.empty())
            refuse(fmt::format("{}. To convert it: {}", array.problem, conversion_of(".h5", file)));
        const auto spool = spooled(*array.npy, options.spool_folder);
        ScoreSource source = source_of_array(parse_npy(spool->finish()), options);
        source.array = array.name;
        source.owners.push_back(spool);
        take_arrays_beside(source, candidates, chosen, [&](std::size_t i) {
            const ByteSource& beside = *arrays[i].npy;
            if (beside.size() > max_bytes_beside)
                refuse(
                    fmt::format("array `{:.60}` next to the scores has {} bytes; the limit for "
                                "labels and ids is {}",
                                arrays[i].name, beside.size(), max_bytes_beside));
            return hdf5_bytes(beside, max_bytes_beside);
        });
        return source;
    });
}

}  // namespace assay::store
