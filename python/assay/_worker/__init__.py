"""The Python side of models in Python: answers the program `assay`, which sends batches of images and receives scores and gradients.

`python FOLDER SOURCE` runs a model that a text names (`__main__.py`); `serve.Server` runs an object of the calling process. The program
carries these files and starts them in the user's own Python, 3.9 or newer. So nothing here imports the rest of `assay`, and torch is
imported only if a model needs it. The messages are those of src/model/isolated/wire.h.
"""
