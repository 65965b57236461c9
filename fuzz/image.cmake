assay_fuzz(decode decode.cpp LINKS assay_image)
