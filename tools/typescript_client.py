"""Build clients/typescript: the types of the API from its OpenAPI document, then the JavaScript.

python tools/typescript_client.py [FOLDER]      builds into the folder, else into clients/typescript/dist
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from studio import BUILD_SECONDS, SOURCES, CannotBuild, fetch_node, install_packages
from studio_types import write_types

CLIENT = Path(__file__).parent.parent / "clients" / "typescript"


def build(folder: Path) -> Path:
    """Build the client into a folder, with the Studio's compiler; the Node that was used."""
    node = fetch_node()
    if node is None:
        raise CannotBuild("Node 20.19 or newer is missing (apt install nodejs npm)")
    install_packages(node)
    write_types(CLIENT / "src" / "types.gen.ts")
    compiler = SOURCES / "node_modules" / "typescript" / "bin" / "tsc"
    command: list[str | Path] = [node, compiler, "--project", CLIENT, "--outDir", folder]
    done = subprocess.run(command, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False)
    if done.returncode:
        raise CannotBuild(f"tsc failed:\n{done.stdout}{done.stderr}")
    return node


if __name__ == "__main__":
    try:
        build(Path(sys.argv[1]) if len(sys.argv) > 1 else CLIENT / "dist")
    except CannotBuild as error:
        sys.exit(str(error))
