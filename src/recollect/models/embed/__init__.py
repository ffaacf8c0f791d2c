"""Where vectors come from: embedding sources, the one that is chosen, and its cache.

`resolve(settings)` chooses a source without opening it; `await resolution.ready()` opens it. Importing
this package loads neither a model nor numpy.
"""

from recollect.models.embed.cache import CachedEmbedder, CacheStatistics
from recollect.models.embed.protocol import Embedder, EmbedRole, signature
from recollect.models.embed.resolve import PassedOver, Resolution, State, resolve
from recollect.models.embed.thresholds import Purpose, threshold

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
