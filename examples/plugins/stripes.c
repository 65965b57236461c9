/* A custom corruption: dark horizontal stripes, at another height in each image.
 *
 *     cc -std=c99 -O2 -fPIC -shared -I/usr/include stripes.c -o stripes.so
 *     assay corrupt val --out val-striped --plugin ./stripes.so --corruptions stripes:stripes
 */
#include "assay/plugin.h"

static int64_t stripes(const assay_plugin_image* image, uint8_t* out, char* error,
                       size_t error_size) {
    static const int32_t kept[5] = {80, 60, 40, 20, 0}; /* brightness in percent */
    const int64_t row_bytes = (int64_t)image->width * 3;
    const int32_t first = (int32_t)(image->seed % 16);
    int32_t y;
    int64_t i;
    (void)error;
    (void)error_size;
    for (y = 0; y < image->height; ++y) {
        const int32_t percent = (y + first) % 16 < 4 ? kept[image->severity - 1] : 100;
        for (i = y * row_bytes; i < (y + 1) * row_bytes; ++i)
            out[i] = (uint8_t)(image->pixels[i] * percent / 100);
    }
    return image->height * row_bytes;
}

static const assay_plugin_corruption corruptions[] = {
    {.name = "stripes",
     .parameters = "brightness of the stripes .8 .6 .4 .2 0",
     .min_side = 1,
     .apply = stripes}};

ASSAY_PLUGIN_EXPORT const assay_plugin assay_plugin_v1 = {.version = ASSAY_PLUGIN_VERSION,
                                                          .size = sizeof(assay_plugin),
                                                          .corruptions = corruptions,
                                                          .corruption_count = 1};
