"""The models that Bethink brings along, and where the files of a local model are.

`MODELS` lists them: name, licence, source, files and their digests. To use another, change its entry.
"""

from bethink.models.weights.find import (
    Weights,
    checked_file,
    find,
    from_hub,
    in_folder,
    is_static_model,
    located,
    required,
)
from bethink.models.weights.registry import MODELS, InFolder, InPackage, Model, OnHub, Use

__all__ = [
    "MODELS",
    "InFolder",
    "InPackage",
    "Model",
    "OnHub",
    "Use",
    "Weights",
    "checked_file",
    "find",
    "from_hub",
    "in_folder",
    "is_static_model",
    "located",
    "required",
]
