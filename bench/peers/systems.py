"""Which systems are measured, what each needs installed and what it is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

TORCH = "torch==2.13.0"  # named first, so that no other build of it is chosen
SAME, OWN = "same", "own"
MINILM = "all-MiniLM-L6-v2"  # Chroma's default
BETHINK = "bethink-"


@dataclass(frozen=True)
class System:
    """A system under test: a worker module, the option it is started with, and its environment.

    `requirements` are installed in this order, one call of pip each; without any, this environment serves.
    `vectors` says whether it searches the same vectors as the others or those of its own model, `queries`
    whether it is given those of the queries too or embeds them itself, as its users have it do. A speed run
    leaves it out past `most` memories, unless it is named.
    """

    name: str
    module: str
    option: str = ""
    environment: str = ""
    requirements: tuple[str, ...] = ()
    vectors: str = SAME
    queries: str = SAME
    most: int = 1_000_000

    @property
    def package(self) -> str:
        """What the system is called where it is installed."""
        return self.requirements[-1].split()[0] if self.requirements else "bethink"


def _bethink(tier: str, most: int = 1_000_000) -> System:
    return System(f"{BETHINK}{tier}", "bethink", tier, most=most)


def _embedding_queries(system: System) -> System:
    return replace(system, name=f"{system.name}-{OWN}", option=f"{system.option} {OWN}".strip(), queries=OWN)


_CHROMA = System("chromadb", "chroma", environment="chromadb", requirements=("chromadb",))


_LANGGRAPH = ("numpy", "pysqlite3", "sqlite-vec", "langgraph-checkpoint-sqlite", "langgraph")

SYSTEMS: tuple[System, ...] = (
    _bethink("fast"),
    _bethink("balanced", most=20_000),  # its token vectors take longest to make
    _bethink("best", most=20_000),
    _CHROMA,
    System("mem0", "mem0", environment="mem0", requirements=("fastembed", "mem0ai")),
    System("langgraph-memory", "langgraph", "memory", "langgraph", _LANGGRAPH, most=20_000),
    System("langgraph-sqlite", "langgraph", "sqlite", "langgraph", _LANGGRAPH),
    System("txtai", "txtai", "hybrid", "txtai", (TORCH, "txtai")),
    System("mempalace", "mempalace", environment="mempalace", requirements=("mempalace",)),
    _embedding_queries(_bethink("fast")),
    replace(_embedding_queries(_CHROMA), vectors=MINILM),
)


def named(names: str | None) -> Sequence[System]:
    """The systems of a list with commas, in the order they are listed here; all of them without a list."""
    if names is None:
        return SYSTEMS
    wanted = {name.strip() for name in names.split(",")}
    known = {system.name for system in SYSTEMS}
    if unknown := wanted - known:
        raise ValueError(f"No system is called {', '.join(sorted(unknown))}; there are {', '.join(known)}.")
    return [system for system in SYSTEMS if system.name in wanted]
