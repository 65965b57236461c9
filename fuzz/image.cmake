assay_fuzz(decode decode.cpp DICTIONARY images LINKS assay_image)
assay_fuzz(preprocess preprocess.cpp DICTIONARY settings LINKS assay_image)
