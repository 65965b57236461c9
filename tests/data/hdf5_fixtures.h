// The HDF5 files of fixtures/hdf5, and what is read from them.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "containers/hdf5.h"
#include "core/file.h"

namespace assay {

inline const std::filesystem::path hdf5_fixtures =
    std::filesystem::path(__FILE__).parent_path() / "fixtures/hdf5";

inline std::string bytes_of(const std::string& name) {
    const MappedFile file(hdf5_fixtures / name);
    return std::string(file.text());
}

inline std::vector<Hdf5Array> arrays_in(const std::string& bytes) {
    return read_hdf5(std::make_shared<MemorySource>(std::as_bytes(std::span(bytes))));
}

inline const Hdf5Array& array_in(const std::vector<Hdf5Array>& arrays, const std::string& name) {
    for (const Hdf5Array& array : arrays)
        if (array.name == name) return array;
    ADD_FAILURE() << "no array " << name;
    return arrays.front();
}

inline std::vector<std::byte> npy_bytes(const Hdf5Array& array) {
    EXPECT_EQ(array.problem, "") << array.name;
    std::vector<std::byte> bytes(static_cast<std::size_t>(array.npy->size()));
    array.npy->read(0, bytes);
    return bytes;
}

}  // namespace assay
