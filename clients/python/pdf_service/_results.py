"""What requests return."""

from __future__ import annotations

import json
import os
import re
import tempfile
from email.message import Message
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any, Dict, Generic, Iterator, List, Optional, TypeVar, Union, cast
from urllib.parse import unquote

from ._facts import Facts
from .errors import PdfServiceError

T = TypeVar("T")

_CHUNK = 64 * 1024


class Response(Facts):
    """A response whose body has not been read."""

    def __init__(self, response: HTTPResponse) -> None:
        self.status: int = response.status
        self.headers: Message = response.headers
        self.request_id: Optional[str] = response.headers.get("X-Request-Id")
        self.content_type: str = response.headers.get("Content-Type", "application/octet-stream")
        self._response = response

    @property
    def steps(self) -> List[Dict[str, Any]]:
        """What the steps of a pipeline returned. Empty for other results."""
        return cast("List[Dict[str, Any]]", json.loads(self.headers.get("X-Pipeline-Steps", "[]")))


class FileResult(Response):
    """A file. Its body can be read once."""

    def __init__(self, response: HTTPResponse) -> None:
        super().__init__(response)
        self._is_read = False

    def __repr__(self) -> str:
        pages = [] if self.page_count is None else [f"{self.page_count} page{'' if self.page_count == 1 else 's'}"]
        length = self.headers.get("Content-Length")
        size = [] if length is None else [f"{int(length):,} bytes"]
        name = [self.file_name] if self.file_name else []
        return f"<FileResult {', '.join([*name, self.content_type, *pages, *size])}>"

    @property
    def file_name(self) -> str:
        """`<input>-<operation>.<extension>` (RFC 6266)."""
        disposition = self.headers.get("Content-Disposition", "")
        extended = re.search(r"filename\*=UTF-8''([^;]+)", disposition, re.IGNORECASE)
        if extended:
            return unquote(extended.group(1))
        plain = re.search(r'filename="((?:[^"\\]|\\.)*)"', disposition, re.IGNORECASE)
        return re.sub(r"\\(.)", r"\1", plain.group(1)) if plain else ""

    def __iter__(self) -> Iterator[bytes]:
        """The body, as it arrives. Raises `connection` if it breaks off, and `RuntimeError` if it has been read before."""
        if self._is_read:
            raise RuntimeError("This result has been read. It can be read once: keep what `read()` returns, or the file that `save()` wrote.")
        self._is_read = True
        expected = self.headers.get("Content-Length")
        received = 0
        try:
            with self._response:
                for chunk in iter(lambda: self._response.read(_CHUNK), b""):
                    received += len(chunk)
                    yield chunk
        except (OSError, HTTPException) as error:
            raise PdfServiceError("connection", "The connection was lost within the file.") from error
        if expected is not None and received != int(expected):
            raise PdfServiceError("connection", "The connection was lost within the file.")

    def read(self) -> bytes:
        return b"".join(self)

    def save(self, path: Optional[Union[str, "os.PathLike[str]"]] = None) -> Path:
        """
        Writes the file, whole or not at all, and returns its path. Default: `file_name` in the current folder. A second time, it raises
        `RuntimeError`: copy the file instead.
        """
        target = Path(path if path is not None else Path(self.file_name).name or "result")
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                for chunk in self:
                    file.write(chunk)
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(temporary, 0o666 & ~umask)
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
        return target


class JsonResult(Response, Generic[T]):
    """A JSON response."""

    def __init__(self, response: HTTPResponse) -> None:
        super().__init__(response)
        with response:
            self.data: T = json.loads(response.read())

    def __repr__(self) -> str:
        data = repr(self.data)
        return f"<JsonResult {data if len(data) <= 200 else data[:200] + '...'}>"


def is_json(response: HTTPResponse) -> bool:
    return response.headers.get("Content-Type", "").startswith("application/json")


def read_file(response: HTTPResponse) -> FileResult:
    return FileResult(response)


# `Any`: what the JSON of an operation is, its generated method says.
def read_json(response: HTTPResponse) -> JsonResult[Any]:
    return JsonResult(response)


def read_result(response: HTTPResponse) -> Any:
    return JsonResult(response) if is_json(response) else FileResult(response)
