"""The client."""

from __future__ import annotations

import base64
import hashlib
from typing import Any, Optional, Union, cast
from urllib.parse import quote

from ._files import Content, FileInput, Form, content_of
from ._generated import JobMethods, ServiceMethods
from ._jobs import JobHandle
from ._results import FileResult, JsonResult, read_result
from ._types import StoredFile

_ONE_REQUEST = 16 * 1024 * 1024
"""Bytes of a file that is sent in one request. Larger ones are sent in parts."""


class PdfService(ServiceMethods):
    """A client of the service: one method per request, `jobs`, `upload_file`, and `open_job`."""

    @property
    def jobs(self) -> JobMethods:
        """The operations, as jobs: `pdf.jobs.ocr(...)` returns at once."""
        return JobMethods(self)

    def open_job(self, id: str) -> JobHandle[Union[JsonResult[Any], FileResult]]:
        """A job that was started earlier, perhaps by another process."""
        return JobHandle(self, self.get_job(id), read_result)

    def upload_file(self, file: FileInput, *, expires_in: Optional[int] = None) -> StoredFile:
        """
        Uploads a file that is kept until it expires, by default for a day. A file over 16 MiB is sent in parts, each with its SHA-256 and
        retried on its own. Requires the `files:write` scope.
        """
        content = content_of(file, "file")
        if isinstance(content, str):
            raise TypeError(f"{content} is not a path.")
        if content.size > _ONE_REQUEST:
            return self._upload_parts(content, expires_in)
        form = Form([("file", content), *([] if expires_in is None else [("expiresIn", str(expires_in))])])
        # A second one would keep another file.
        return cast(StoredFile, self._json("POST", "/api/v1/files", form=form, repeatable=False))

    def _upload_parts(self, content: Content, expires_in: Optional[int]) -> StoredFile:
        created = self.create_file(name=content.name, size=content.size, expires_in=expires_in)
        path = f"/api/v1/files/{quote(created['id'], safe='')}"
        try:
            with content.open() as file:
                for number in range(1, created["parts"]["count"] + 1):
                    part = file.read(created["parts"]["size"])
                    digest = base64.b64encode(hashlib.sha256(part).digest()).decode()
                    headers = {"Content-Digest": f"sha-256=:{digest}:"}
                    self._json("PUT", f"{path}/parts/{number}", content=part, headers=headers)
            return cast(StoredFile, self._json("POST", f"{path}/complete", json={}, repeatable=True))
        except BaseException:
            # It would be abandoned after a day; until then it takes space.
            self.delete_file(created["id"])
            raise
