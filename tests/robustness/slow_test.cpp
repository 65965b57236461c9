// Compares each fast filter with a plain implementation of its definition, in double precision.
#include <gtest/gtest.h>

#include <cmath>

#include "core/cpu.h"
#include "robustness/disk.h"
#include "robustness/images.h"
#include "robustness/planes.h"
#include "robustness/plasma.h"
#include "robustness/work.h"

namespace assay::robustness {
namespace {

/// A value of an image at any position, also outside of it.
double seen(const Image& image, int x, int y, int c, Border border) {
    return value_at(image, inside(x, image.width, border), inside(y, image.height, border), c);
}

/// Both values are truncated to 8 bit from the same number, up to the rounding of floats.
void expect_level(const Image& fast, int x, int y, int c, double slow) {
    ASSERT_NEAR(value_at(fast, x, y, c), std::floor(std::clamp(slow, 0.0, 255.0) + 1e-3), 1)
        << x << ", " << y << ", channel " << c;
}

/// Differences must be rare, so a bias of half a level would be detected.
template <typename Slow>
void expect_image(const Image& fast, Slow&& slow) {
    int differ = 0;
    for (int y = 0; y < fast.height; ++y) {
        for (int x = 0; x < fast.width; ++x) {
            for (int c = 0; c < 3; ++c) {
                const double value = slow(x, y, c);
                expect_level(fast, x, y, c, value);
                differ += value_at(fast, x, y, c) !=
                          static_cast<int>(std::clamp(value, 0.0, 255.0) + cut_slack);
            }
        }
    }
    EXPECT_LT(differ, 3 * fast.width * fast.height / 200);
}

Image run(void (*corruption)(const Work&, Image&), const Image& image, int severity,
          RandomStream& draws) {
    Image out{image.width, image.height, std::vector<std::uint8_t>(image.pixels.size())};
    corruption({image, severity, draws, nullptr}, out);
    return out;
}

TEST(WeightedSum, IsTheSameWithAndWithoutAvx2) {
    if (!cpu_has_avx2()) GTEST_SKIP() << "no AVX2 here, or ASSAY_SIMD=none";
    RandomStream draws(1, "weighted sum");
    for (const std::size_t n : {1U, 7U, 8U, 31U, 33U, 100U, 672U}) {
        std::vector<std::vector<float>> rows(19, std::vector<float>(n));
        std::vector<const float*> pointers;
        std::vector<float> weights;
        for (auto& row : rows) {
            for (float& v : row) v = static_cast<float>(255 * draws.uniform());
            pointers.push_back(row.data());
            weights.push_back(static_cast<float>(draws.uniform()));
        }
        std::vector<float> plain(n), fast(n);
        weighted_sum_plain(pointers, weights, n, plain.data());
        weighted_sum_avx2(pointers, weights, n, fast.data());
        EXPECT_EQ(plain, fast) << n;
    }
}

TEST(Border, FoldsAnyDistance) {
    // For 0 1 2 3: reflect is ...1 0|0 1 2 3|3 2 1 0|0 1..., reflect_101 ...2 1|0 1 2 3|2 1 0|1...
    const std::vector<int> reflect = {1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0};
    const std::vector<int> mirror = {2, 1, 0, 1, 2, 3, 2, 1, 0, 1, 2};
    for (int i = -2; i < 9; ++i) {
        EXPECT_EQ(inside(i, 4, Border::reflect), reflect[i + 2]) << i;
        EXPECT_EQ(inside(i, 4, Border::reflect_101), mirror[i + 2]) << i;
    }
    EXPECT_EQ(inside(-100, 4, Border::replicate), 0);
    EXPECT_EQ(inside(100, 1, Border::reflect_101), 0);
}

TEST(GaussianFilter, IsTheSumOverAllNeighbours) {
    for (const auto& [sigma, truncate, border] : {std::tuple{1.5, 4.0, Border::replicate},
                                                  {6.0, 4.0, Border::replicate},
                                                  {20.0, 3.0, Border::reflect}}) {
        Planes planes(23, 31, 1);
        RandomStream draws(2, "gaussian");
        for (float& v : planes.values) v = static_cast<float>(draws.uniform());
        const Planes in = planes;
        gaussian(planes, sigma, truncate, border);
        const int radius = static_cast<int>(truncate * sigma + .5);
        for (int y = 0; y < 31; ++y) {
            for (int x = 0; x < 23; ++x) {
                double sum = 0, weight = 0;
                for (int dy = -radius; dy <= radius; ++dy) {
                    for (int dx = -radius; dx <= radius; ++dx) {
                        const double w = std::exp(-(dx * dx + dy * dy) / (2 * sigma * sigma));
                        sum += w * in.row(inside(y + dy, 31, border))[inside(x + dx, 23, border)];
                        weight += w;
                    }
                }
                ASSERT_NEAR(planes.row(y)[x], sum / weight, 1e-5) << sigma;
            }
        }
    }
}

TEST(DefocusBlur, IsACorrelationWithASmoothedDisk) {
    const Image image = wavy_image(60, 50);
    RandomStream unused(0, "");
    const std::array<int, 5> radius = {3, 4, 6, 8, 10};
    for (int severity = 1; severity <= 5; ++severity) {
        const int r = radius[severity - 1], half = std::max(r, 8), reach = r <= 8 ? 1 : 2;
        const double sigma = severity == 1 ? .1 : .5;
        const auto disk = [&](int x, int y) {
            x = inside(x + half, 2 * half + 1, Border::reflect_101) - half;
            y = inside(y + half, 2 * half + 1, Border::reflect_101) - half;
            return x * x + y * y <= r * r ? 1.0 : 0.0;
        };
        double count = 0, weight = 0;
        for (int y = -half; y <= half; ++y) {
            for (int x = -half; x <= half; ++x) count += disk(x, y);
        }
        for (int y = -reach; y <= reach; ++y) {
            for (int x = -reach; x <= reach; ++x)
                weight += std::exp(-(x * x + y * y) / (2 * sigma * sigma));
        }
        std::vector<double> kernel;
        for (int y = -half; y <= half; ++y) {
            for (int x = -half; x <= half; ++x) {
                double sum = 0;
                for (int dy = -reach; dy <= reach; ++dy) {
                    for (int dx = -reach; dx <= reach; ++dx)
                        sum += std::exp(-(dx * dx + dy * dy) / (2 * sigma * sigma)) *
                               disk(x + dx, y + dy);
                }
                kernel.push_back(sum / weight / count);
            }
        }
        expect_image(run(defocus_blur, image, severity, unused), [&](int x, int y, int c) {
            double sum = 0;
            std::size_t k = 0;
            for (int dy = -half; dy <= half; ++dy) {
                for (int dx = -half; dx <= half; ++dx)
                    sum += kernel[k++] * seen(image, x + dx, y + dy, c, Border::reflect_101);
            }
            return sum;
        });
    }
}

TEST(GlassBlur, CopiesInPlaceFromTheBottomRight) {
    const Image image = wavy_image(40, 30);
    RandomStream draws(9, "glass");
    const Image fast = run(glass_blur, image, 3, draws);
    // Sigma 1, distance 2, three passes.
    RandomStream again(9, "glass"), unused(0, "");
    Image slow = run(gaussian_blur, image, 1, unused);
    for (int pass = 0; pass < 3; ++pass) {
        for (int y = 30 - 2; y >= 3; --y) {
            std::vector<std::uint32_t> line;
            for (int x = 0; x < 40; ++x) line.push_back(again.next_u32());
            for (int x = 40 - 2; x >= 3; --x) {
                const int dx = static_cast<int>(line[x] % 65536 * 4 / 65536) - 2;
                const int dy = static_cast<int>(line[x] / 65536 * 4 / 65536) - 2;
                for (int c = 0; c < 3; ++c)
                    slow.pixels[4 * (y * 40 + x) + c] =
                        slow.pixels[4 * ((y + dy) * 40 + x + dx) + c];
            }
        }
    }
    EXPECT_EQ(fast.pixels, run(gaussian_blur, slow, 1, unused).pixels);
}

TEST(MotionBlur, IsAMeanOfShiftedImages) {
    const Image image = wavy_image(50, 45);
    const double pi = std::acos(-1);
    for (const std::uint64_t seed : {1, 2, 3}) {
        RandomStream draws(seed, "motion"), again(seed, "motion");
        const Image fast = run(motion_blur, image, 2, draws);
        const double angle = (again.uniform() * 90 - 45) * pi / 180;
        double weight = 0;
        for (int i = 0; i <= 30; ++i) weight += std::exp(-i * i / 50.0);
        expect_image(fast, [&](int x, int y, int c) {
            double sum = 0;
            for (int i = 0; i <= 30; ++i) {
                const int dx = static_cast<int>(std::ceil(i * std::cos(angle) - .5));
                const int dy = static_cast<int>(std::ceil(i * std::sin(angle) - .5));
                sum += std::exp(-i * i / 50.0) / weight *
                       seen(image, x + dx, y + dy, c, Border::replicate);
            }
            return sum;
        });
    }
}

// At 32 x 32 a factor of 1.3 gives 32.5 pixels, and the rounding decides.
class ZoomBlur : public testing::TestWithParam<std::pair<int, int>> {};
INSTANTIATE_TEST_SUITE_P(Sizes, ZoomBlur,
                         testing::Values(std::pair{57, 44}, std::pair{32, 32}, std::pair{8, 70}));

TEST_P(ZoomBlur, IsAMeanOfEnlargedMiddles) {
    const auto [width, height] = GetParam();
    const Image image = wavy_image(width, height);
    RandomStream unused(0, "");
    const std::array<std::pair<int, double>, 5> zooms = {
        {{12, .01}, {16, .01}, {11, .02}, {13, .02}, {11, .03}}};
    for (int severity = 1; severity <= 5; ++severity) {
        const int count = zooms[severity - 1].first;
        const double step = (1 + zooms[severity - 1].second) - 1;  // as in numpy.arange
        // One axis of one zoom, with the position of output i among the inputs.
        const auto place = [](int i, int n, double factor) {
            const int inputs = static_cast<int>(std::ceil(n / factor));
            const double outputs = std::nearbyint(inputs * factor);
            const int trim = (static_cast<int>(outputs) - n) / 2;
            return (n - inputs) / 2 + (i + trim) * (inputs - 1) / (outputs - 1);
        };
        expect_image(run(zoom_blur, image, severity, unused), [&, w = width, h = height](
                                                                  int x, int y, int c) {
            double sum = value_at(image, x, y, c);
            for (int k = 0; k < count; ++k) {
                const double u = place(x, w, 1 + k * step), v = place(y, h, 1 + k * step);
                for (int dy = 0; dy < 2; ++dy) {
                    for (int dx = 0; dx < 2; ++dx) {
                        const int p = static_cast<int>(u) + dx, q = static_cast<int>(v) + dy;
                        sum += (1 - std::abs(u - p)) * (1 - std::abs(v - q)) *
                               seen(image, p, q, c, Border::replicate);
                    }
                }
            }
            return sum / (count + 1);
        });
    }
}

TEST(Plasma, IsDiamondSquareOnATorus) {
    RandomStream draws(4, "plasma"), again(4, "plasma");
    const int n = 16;
    const double decay = 1.7;
    const auto fast = plasma(n, decay, draws);
    std::vector<double> map(n * n);
    const auto at = [&](int y, int x) -> double& { return map[(y & (n - 1)) * n + (x & (n - 1))]; };
    double wobble = 100;
    for (int step = n; step >= 2; step /= 2, wobble /= decay) {
        const auto noise = [&] {
            return wobble * wobble * ((again.next_u32() >> 8) / 8388608.0 - 1);
        };
        const int half = step / 2;
        for (int y = half; y < n; y += step) {
            for (int x = half; x < n; x += step)
                at(y, x) = (at(y - half, x - half) + at(y - half, x + half) +
                            at(y + half, x - half) + at(y + half, x + half)) /
                               4 +
                           noise();
        }
        for (int y = 0; y < n; y += step) {
            for (int x = 0; x < n; x += step) {
                for (const auto& [v, u] : {std::pair{y, x + half}, {y + half, x}})
                    at(v, u) =
                        (at(v, u - half) + at(v, u + half) + at(v - half, u) + at(v + half, u)) /
                            4 +
                        noise();
            }
        }
    }
    const auto [low, high] = std::minmax_element(map.begin(), map.end());
    for (std::size_t i = 0; i < map.size(); ++i)
        ASSERT_NEAR(fast[i], (map[i] - *low) / (*high - *low), 1e-5) << i;
}

TEST(ElasticTransform, FollowsItsTwoMaps) {
    const Image image = wavy_image(48, 36);
    RandomStream draws(6, "elastic"), again(6, "elastic");
    const Image fast = run(elastic_transform, image, 4, draws);
    // Severity 4 has amount 0.07, sigma 0.01, and affine 0.02, in units of 244.
    const double p[3][2] = {{24 + 12, 18 + 12}, {24 + 12, 18 - 12}, {24 - 12, 18 - 12}};
    double q[3][2];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 2; ++k) q[i][k] = p[i][k] + 244 * .02 * (2 * again.uniform() - 1);
    }
    // A point of the result, in barycentric coordinates of the moved triangle, has the same
    // coordinates in the first triangle.
    const auto back = [&](double x, double y, int k) {
        const double det =
            (q[1][1] - q[2][1]) * (q[0][0] - q[2][0]) + (q[2][0] - q[1][0]) * (q[0][1] - q[2][1]);
        const double a =
            ((q[1][1] - q[2][1]) * (x - q[2][0]) + (q[2][0] - q[1][0]) * (y - q[2][1])) / det;
        const double b =
            ((q[2][1] - q[0][1]) * (x - q[2][0]) + (q[0][0] - q[2][0]) * (y - q[2][1])) / det;
        return a * p[0][k] + b * p[1][k] + (1 - a - b) * p[2][k];
    };
    const auto bilinear = [](double x, double y, auto&& value) {
        const int x0 = static_cast<int>(std::floor(x)), y0 = static_cast<int>(std::floor(y));
        double sum = 0;
        for (int dy = 0; dy < 2; ++dy) {
            for (int dx = 0; dx < 2; ++dx)
                sum += (1 - std::abs(x - x0 - dx)) * (1 - std::abs(y - y0 - dy)) *
                       value(x0 + dx, y0 + dy);
        }
        return sum;
    };
    std::vector<double> fields[2];
    for (auto& field : fields) {
        std::vector<double> noise;
        for (int i = 0; i < 48 * 36; ++i) noise.push_back((again.next_u32() >> 8) / 8388608.0 - 1);
        const double sigma = 2.44;
        const int radius = static_cast<int>(3 * sigma + .5);
        for (int y = 0; y < 36; ++y) {
            for (int x = 0; x < 48; ++x) {
                double sum = 0, weight = 0;
                for (int dy = -radius; dy <= radius; ++dy) {
                    for (int dx = -radius; dx <= radius; ++dx) {
                        const double w = std::exp(-(dx * dx + dy * dy) / (2 * sigma * sigma));
                        weight += w;
                        sum += w * noise[inside(y + dy, 36, Border::reflect) * 48 +
                                         inside(x + dx, 48, Border::reflect)];
                    }
                }
                field.push_back(244 * .07 * sum / weight);
            }
        }
    }
    expect_image(fast, [&](int x, int y, int c) {
        const auto i = static_cast<std::size_t>(y * 48 + x);
        return bilinear(x + fields[0][i], y + fields[1][i], [&](int u, int v) {
            u = inside(u, 48, Border::reflect);
            v = inside(v, 36, Border::reflect);
            return bilinear(back(u, v, 0), back(u, v, 1), [&](int s, int t) {
                return seen(image, s, t, c, Border::reflect_101);
            });
        });
    });
}

}  // namespace
}  // namespace assay::robustness
