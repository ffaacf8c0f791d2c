"""Where vectors come from: embedding sources, the one that is chosen, and its cache.

`resolve(settings)` chooses a source without opening it; `await resolution.ready()` opens it. Importing
this package loads neither a model nor numpy.
"""

from bethink.models.embed.cache import CachedEmbedder, CacheStatistics
from bethink.models.embed.protocol import Embedder, EmbedRole, signature
from bethink.models.embed.resolve import PassedOver, Resolution, State, resolve
from bethink.models.embed.traits import Purpose, threshold

__all__ = [
    "CacheStatistics",
    "CachedEmbedder",
    "EmbedRole",
    "Embedder",
    "PassedOver",
    "Purpose",
    "Resolution",
    "State",
    "resolve",
    "signature",
    "threshold",
]
