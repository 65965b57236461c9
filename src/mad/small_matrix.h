// Square matrices with one row per classifier of a competition, stored row by row.
#pragma once

#include <cstddef>
#include <vector>

namespace assay::mad {

class SmallMatrix {
public:
    explicit SmallMatrix(std::size_t size = 0) : size_(size), values_(size * size, 0.0) {}
    std::size_t size() const { return size_; }
    double& operator()(std::size_t row, std::size_t column) {
        return values_[row * size_ + column];
    }
    double operator()(std::size_t row, std::size_t column) const {
        return values_[row * size_ + column];
    }
    const std::vector<double>& values() const { return values_; }

    /// Adds weight c c', where c = e_i - e_j.
    void add_contrast(std::size_t i, std::size_t j, double weight) {
        (*this)(i, i) += weight;
        (*this)(j, j) += weight;
        (*this)(i, j) -= weight;
        (*this)(j, i) -= weight;
    }
    void add(const SmallMatrix& other, double times = 1) {
        for (std::size_t k = 0; k < values_.size(); ++k) values_[k] += times * other.values_[k];
    }

private:
    std::size_t size_;
    std::vector<double> values_;
};

SmallMatrix product(const SmallMatrix& a, const SmallMatrix& b);
SmallMatrix transposed(const SmallMatrix& a);

}  // namespace assay::mad
