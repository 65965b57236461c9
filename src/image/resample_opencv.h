// OpenCV's resize of 8-bit RGB images, byte for byte. The versions are 4.12 and 5.0
// (modules/imgproc/src/resize.cpp) in the build for x86-64 that pip installs, which computes eight
// numbers at a time.
#pragma once

#include "assay/image/preprocess.h"

namespace assay::pixels {

/// cv2.resize(image, (width, height), interpolation=...) of the whole image. nearest is
/// INTER_NEAREST, box INTER_AREA, bilinear INTER_LINEAR, bicubic INTER_CUBIC; check_filter()
/// refuses others.
Image resize_as_opencv(const Image& image, Interpolation filter, int width, int height);

}  // namespace assay::pixels
