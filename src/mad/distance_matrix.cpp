#include "mad/distance_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "containers/csv.h"
#include "containers/npy.h"
#include "core/file.h"
#include "core/finite_number.h"
#include "core/hash.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay::mad {
namespace {

constexpr double least_too_far = 4096;  ///< 2^32 units

class MatrixFile {
public:
    MatrixFile(const std::filesystem::path& file, const ClassList& classes)
        : path_(file),
          file_(file),
          classes_(classes),
          reader_(file_.text(), file.string(), {.delimiter = ','}) {}

    ClassDistances read() {
        set_columns();
        const std::size_t count = classes_.size();
        std::vector<std::uint32_t> units(count * count, 0);
        std::vector<std::size_t> line_of(count, 0);
        while (reader_.next()) {
            const std::size_t row = class_of(reader_[0]);
            if (line_of[row] != 0)
                throw reader_.error(fmt::format("class {} appears twice; it is also in line {}",
                                                classes_.id(row), line_of[row]));
            line_of[row] = reader_.line();
            for (std::size_t c = 1; c < reader_.fields(); ++c)
                units[row * count + column_of_[c]] = units_of(reader_[c], row, column_of_[c]);
        }
        for (std::size_t row = 0; row < count; ++row) {
            if (line_of[row] == 0)
                refuse(fmt::format("{}: class {} has no row; all {} classes need one",
                                   path_.string(), classes_.id(row), count));
        }
        for (std::size_t a = 0; a < count; ++a) {
            for (std::size_t b = a + 1; b < count; ++b) {
                if (units[a * count + b] == units[b * count + a]) continue;
                refuse(fmt::format(
                    "{} line {}: {} to {} is {}, but {} to {} is {} in line {}; both directions "
                    "need the same distance",
                    path_.string(), line_of[a], classes_.id(a), classes_.id(b),
                    units[a * count + b] * ClassDistances::unit, classes_.id(b), classes_.id(a),
                    units[b * count + a] * ClassDistances::unit, line_of[b]));
            }
        }
        return ClassDistances(static_cast<std::uint32_t>(count), std::move(units),
                              DistanceReading::matrix);
    }

private:
    void set_columns() {
        const std::vector<std::string>& names = reader_.columns();
        column_of_.assign(names.size(), 0);
        std::vector<bool> there(classes_.size(), false);
        for (std::size_t c = 1; c < names.size(); ++c) {
            const std::size_t one = class_of(names[c]);
            if (there[one])
                refuse(
                    fmt::format("{}: class {} has two columns", path_.string(), classes_.id(one)));
            there[one] = true;
            column_of_[c] = one;
        }
        for (std::size_t one = 0; one < classes_.size(); ++one) {
            if (!there[one])
                refuse(fmt::format("{}: class {} has no column; all {} classes need one",
                                   path_.string(), classes_.id(one), classes_.size()));
        }
    }
    std::size_t class_of(std::string_view name) const {
        if (const auto found = classes_.find(name)) return static_cast<std::size_t>(*found);
        refuse(fmt::format(
            "{}: `{}` is not one of the {} classes; allowed: an id, a name or a number from 0",
            reader_.where(), shortened(name), classes_.size()));
    }
    std::uint32_t units_of(std::string_view text, std::size_t row, std::size_t column) const {
        const double value = finite_number(text).value_or(-1);
        const std::string place = fmt::format("column {}", shortened(classes_.id(column)));
        if (value < 0 || value >= least_too_far)
            throw reader_.error(
                fmt::format("{} is `{}`; allowed: 0 up to below 4096", place, shortened(text)));
        if (row == column && value != 0)
            throw reader_.error(
                fmt::format("{} is `{}`, the distance of a class to itself; allowed: 0", place,
                            shortened(text)));
        return static_cast<std::uint32_t>(
            std::min(std::round(value / ClassDistances::unit), 4294967295.0));
    }

    std::filesystem::path path_;
    MappedFile file_;
    const ClassList& classes_;
    CsvReader reader_;
    std::vector<std::size_t> column_of_;  ///< class of each column, without the first column
};

std::filesystem::path distances_file(const std::filesystem::path& folder) {
    return folder / "distances.npy";
}

}  // namespace

ClassDistances read_distances(const std::filesystem::path& file, const ClassList& classes) {
    return MatrixFile(file, classes).read();
}

std::string write_distances(const std::filesystem::path& folder, const ClassDistances& distances) {
    const std::filesystem::path file = distances_file(folder);
    const std::array<std::uint64_t, 2> shape = {distances.classes(), distances.classes()};
    const std::string header = npy_header(name_of(NumberType::u4), shape);
    const std::vector<std::span<const std::byte>> parts = {std::as_bytes(std::span(header)),
                                                           std::as_bytes(distances.all())};
    write_file_atomically(file, parts);
    return hash_file(file);
}

ClassDistances kept_distances(const std::filesystem::path& folder, const std::string& hash,
                              std::size_t classes, DistanceReading reading) {
    const std::filesystem::path path = distances_file(folder);
    const MappedFile file(path);
    if (hash_bytes(file.bytes()) != hash)
        refuse(
            fmt::format("{}: its bytes differ from the recorded ones; restore it", path.string()));
    const NpyView view = parse_npy(file.bytes());
    const std::vector<std::uint64_t> shape = {classes, classes};
    if (view.type() != NumberType::u4 || view.shape != shape)
        refuse(fmt::format("{}: it holds {} of shape {}; expected u4 of shape ({}, {})",
                           path.string(), name_of(view.type()), view.shape_text(), classes,
                           classes));
    std::vector<std::uint32_t> units(classes * classes);
    std::memcpy(units.data(), view.values.data.data(), units.size() * sizeof(std::uint32_t));
    return ClassDistances(static_cast<std::uint32_t>(classes), std::move(units), reading);
}

}  // namespace assay::mad
