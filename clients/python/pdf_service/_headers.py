"""Typed values of headers."""

from __future__ import annotations

from email.message import Message
from typing import List, Optional
from urllib.parse import unquote


class Headers:
    """What has the headers of a response."""

    headers: Message


def read_text(headers: Message, name: str) -> Optional[str]:
    value = headers.get(name)
    return None if value is None else str(value)


def read_integer(headers: Message, name: str) -> Optional[int]:
    value = headers.get(name)
    return None if value is None else int(value)


def read_number(headers: Message, name: str) -> Optional[float]:
    value = headers.get(name)
    return None if value is None else float(value)


def read_boolean(headers: Message, name: str) -> bool:
    return str(headers.get(name)) == "true"


def read_array(headers: Message, name: str) -> List[str]:
    """Percent-encoded texts, separated by commas."""
    return [unquote(text) for text in str(headers.get(name, "")).split(",") if text != ""]
