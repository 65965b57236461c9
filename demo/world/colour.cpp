#include "demo/world/colour.h"

namespace assay::world {

Colour turned(Colour c, float turns, float saturation, float value) {
    // In YIQ, the hue is an angle in the I-Q plane.
    const float y = 0.299F * c.r + 0.587F * c.g + 0.114F * c.b;
    const float i = 0.596F * c.r - 0.274F * c.g - 0.322F * c.b;
    const float q = 0.211F * c.r - 0.523F * c.g + 0.312F * c.b;
    const float s = sin_turns(turns) * saturation, k = cos_turns(turns) * saturation;
    const float i2 = k * i - s * q, q2 = s * i + k * q;
    return clamp01(value * Colour{y + 0.956F * i2 + 0.621F * q2, y - 0.272F * i2 - 0.647F * q2,
                                  y - 1.106F * i2 + 1.703F * q2});
}

}  // namespace assay::world
