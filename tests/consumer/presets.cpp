// This file is built with the flags of pkg-config.
#include <assay/model/model_spec.h>

#include <iostream>

int main() {
    std::cout << assay::presets().size() << " presets\n";
}
