"""Presentations of PowerPoint, slide by slide. Macros are not run, and nothing is fetched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE

from bethink.documents.blocks import Block, is_table, row_of
from bethink.documents.formats import Told
from bethink.documents.formats.office import properties

_MACROS = "macroEnabled"
DEEPEST = 20  # groups of shapes in one another


def pptx(path: Path, told: Told) -> Iterator[Block]:
    """The texts, tables, charts and notes of each slide; its title is its heading."""
    with path.open("rb") as file:
        show = Presentation(file)
    if _MACROS in show.part.content_type:
        told.notes.append("Its macros were not run.")
    told.metadata |= properties(show.core_properties) | {"slides": len(show.slides)}
    for number, slide in enumerate(show.slides, 1):
        for block in _slide(slide):
            yield block.at("slide", number)


def _slide(slide: Any) -> Iterator[Block]:
    title = slide.shapes.title
    if title is not None and title.text_frame.text.strip():
        yield Block(" ".join(title.text_frame.text.split()), "heading", 1)
    yield from _shapes((one for one in slide.shapes if one != title), 0)
    if slide.has_notes_slide and (frame := slide.notes_slide.notes_text_frame) is not None:
        yield Block(frame.text)


def _shapes(shapes: Iterable[Any], depth: int) -> Iterator[Block]:
    for shape in shapes:
        if shape.shape_type == MSO_SHAPE_TYPE.GROUP and depth < DEEPEST:
            yield from _shapes(shape.shapes, depth + 1)
        elif getattr(shape, "has_table", False):
            yield from _rows([[cell.text for cell in row.cells] for row in shape.table.rows])
        elif getattr(shape, "has_chart", False):
            yield from _chart(shape.chart)
        elif shape.has_text_frame:
            yield from _paragraphs(shape)


def _paragraphs(shape: Any) -> Iterator[Block]:
    """A paragraph each; where there are several in the body of a slide they are its points."""
    texts = [one.text.replace("\v", "\n").strip() for one in shape.text_frame.paragraphs]
    texts = [text for text in texts if text]
    lead = "- " if shape.is_placeholder and len(texts) > 1 else ""
    if texts:
        yield Block("\n".join(lead + text for text in texts))


def _chart(chart: Any) -> Iterator[Block]:
    """What a chart shows, as the table that it was drawn from."""
    if chart.has_title and chart.chart_title.has_text_frame:
        yield Block(chart.chart_title.text_frame.text)
    for plot in chart.plots:
        series = list(plot.series)
        values = [list(one.values) for one in series]
        rows = [["", *(str(one.name) for one in series)]]
        for number, name in enumerate(plot.categories):
            rows.append([str(name), *(_value(one, number) for one in values)])
        yield from _rows(rows)


def _value(values: list[Any], number: int) -> str:
    value = values[number] if number < len(values) else None
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _rows(rows: list[list[str]]) -> Iterator[Block]:
    if is_table(rows):
        for number, cells in enumerate(rows):
            yield Block(row_of(cells), "row" if number else "header")
    else:
        for cells in rows:
            yield from (Block(text) for text in cells)
