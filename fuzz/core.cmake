assay_fuzz(json json.cpp DICTIONARY json LINKS assay_core)
assay_fuzz(toml toml.cpp DICTIONARY toml LINKS assay_core)
