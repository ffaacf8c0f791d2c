"""Pictures, and pages that are pictures: their text by OCR, where `rapidocr-onnxruntime` is installed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bethink.documents.blocks import Block, Unreadable
from bethink.documents.formats import Told

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PIXELS = 100_000_000  # of a picture, which is three bytes each in memory
LONGEST_SIDE = 3000  # pixels; larger ones are made smaller, since letters are read as well
LEAST_SURE = 0.5
NONE = "It is a picture, and has no text layer. To have it read: pip install 'bethink[ocr]'."


def picture(path: Path, told: Told) -> Iterator[Block]:
    """The lines of text in a picture, from the top."""
    if not can_read():
        raise Unreadable(NONE)
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = None  # it is checked here
    with Image.open(path) as image:
        width, height = image.size
        if width * height > MOST_PIXELS:
            raise Unreadable(f"It has more than {MOST_PIXELS:,} pixels, and was not read.")
        told.metadata |= {"width": width, "height": height}
        text = text_in(ImageOps.exif_transpose(image))
    if not text:
        raise Unreadable("There is no text in the picture.")
    yield Block(text)


def can_read() -> bool:
    """Whether anything is installed that reads pictures."""
    return find_spec("rapidocr_onnxruntime") is not None


def text_in(image: Image) -> str:
    """The lines of text in a picture."""
    import numpy as np

    image = image.convert("RGB")
    image.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    found, _ = _reader()(np.asarray(image)[:, :, ::-1])  # it takes blue first
    return "\n".join(text for _, text, sure in found or () if float(sure) >= LEAST_SURE)


@cache
def _reader() -> Any:
    from rapidocr_onnxruntime import RapidOCR

    return RapidOCR(intra_op_num_threads=1, inter_op_num_threads=1)
