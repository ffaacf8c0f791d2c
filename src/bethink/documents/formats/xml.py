"""XML of files that nobody vouches for: entities stay as they are, and nothing is fetched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lxml import etree

from bethink.documents.blocks import Unreadable


def parsed(data: bytes) -> Any:
    """The root of a small file of XML."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise Unreadable(f"The file is damaged or cut off: {str(error)[:200]}.") from error


def elements(root: Any) -> Iterator[tuple[str, Any]]:
    """Every element under its name without the namespace."""
    for element in root.iter("*"):
        yield etree.QName(element).localname, element
