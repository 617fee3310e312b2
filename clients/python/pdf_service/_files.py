"""Files that are sent to the service."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Iterator, List, Optional, Tuple, Union

FileInput = Union[str, "os.PathLike[str]", bytes, BinaryIO, Tuple[str, bytes]]
"""A path, bytes, an open binary file, or (name, bytes). A string that begins with `file_` or `https://` is a stored file or a URL."""

_REFERENCE = re.compile(r"(?:file_\w+|https://.*)", re.DOTALL)
_CHUNK = 64 * 1024


@dataclass(frozen=True)
class Content:
    """A file whose bytes can be read several times: for each attempt."""

    name: str
    size: int
    path: Optional[Path]
    data: bytes = b""

    def open(self) -> BinaryIO:
        return BytesIO(self.data) if self.path is None else self.path.open("rb")


def content_of(file: FileInput, fallback_name: str) -> Union[str, Content]:
    """The content of a file, or the text that the service takes in its place."""
    if isinstance(file, str) and _REFERENCE.fullmatch(file):
        return file
    if isinstance(file, (str, os.PathLike)):
        path = Path(file)
        return Content(path.name, path.stat().st_size, path)
    if isinstance(file, tuple):
        name, data = file
        return Content(name, len(data), None, data)
    if isinstance(file, (bytes, bytearray, memoryview)):
        return Content(fallback_name, len(file), None, bytes(file))
    data = file.read()
    own: object = getattr(file, "name", None)
    return Content(Path(own).name if isinstance(own, str) else fallback_name, len(data), None, data)


class Form:
    """A multipart/form-data body (RFC 7578) of known length, written anew for each attempt."""

    def __init__(self, parts: List[Tuple[str, Union[str, Content]]]) -> None:
        boundary = "----" + os.urandom(16).hex()
        self.content_type = f"multipart/form-data; boundary={boundary}"
        self._parts: List[Tuple[bytes, Optional[Content]]] = []
        for name, value in parts:
            head = f'--{boundary}\r\nContent-Disposition: form-data; name="{_escaped(name)}"'
            if isinstance(value, str):
                self._parts.append((f"{head}\r\n\r\n{value}\r\n".encode(), None))
                continue
            file = f'; filename="{_escaped(value.name)}"\r\nContent-Type: application/octet-stream\r\n\r\n'
            self._parts.append((f"{head}{file}".encode(), value))
            self._parts.append((b"\r\n", None))
        self._parts.append((f"--{boundary}--\r\n".encode(), None))
        self.length = sum(len(text) + (content.size if content else 0) for text, content in self._parts)

    def __iter__(self) -> Iterator[bytes]:
        for text, content in self._parts:
            yield text
            if content is None:
                continue
            with content.open() as file:
                for chunk in iter(lambda: file.read(_CHUNK), b""):
                    yield chunk


def _escaped(name: str) -> str:
    """A name as browsers write it (HTML, multipart/form-data encoding algorithm)."""
    return name.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22")
