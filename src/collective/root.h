// A check that every kind of Comm makes.
#pragma once

namespace assay {

/// Throws usage unless 0 <= root < size.
void check_root(int root, int size);

}  // namespace assay
