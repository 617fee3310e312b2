"""Sends requests, and retries them where that can help."""

from __future__ import annotations

import json as json_module
import os
import random
import time
import uuid
from http.client import HTTPException, HTTPResponse
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union, cast
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from ._files import Content, Form, content_of
from .errors import PdfServiceError

T = TypeVar("T")
Fields = Sequence[Tuple[str, str, object]]
"""Kind (`file`, `text`, or `json`), name, and value of each parameter; `{N}` in a name stands for the numbers of a list."""

_IDEMPOTENT = ("GET", "PUT", "DELETE", "PATCH")
_LONGEST_WAIT = 60.0
"""Seconds. A longer `Retry-After` is not waited for: the error is raised."""


class _NoRedirects(HTTPRedirectHandler):
    """The service redirects nowhere, and a key is not sent elsewhere."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class Transport:
    def __init__(
        self,
        *,
        base_url: str,
        api_key: Optional[str] = None,
        max_retries: int = 2,
        timeout: float = 300,
    ) -> None:
        """
        Args:
            base_url: The URL of the service, such as `https://pdf.example.com`.
            api_key: `sk_live_...` or `sk_test_...`. Default: the environment variable PDF_SERVICE_KEY.
            max_retries: How often to retry a request that failed through no fault of its own.
            timeout: Seconds without a byte after which an attempt has failed.
        """
        key = api_key or os.environ.get("PDF_SERVICE_KEY")
        if not key:
            raise TypeError("There is no API key: pass `api_key`, or set PDF_SERVICE_KEY.")
        self._key = key
        self._base_url = base_url.rstrip("/")
        self._max_retries = max_retries
        self._timeout = timeout
        self._opener: OpenerDirector = build_opener(_NoRedirects())

    def _operation(
        self,
        path: str,
        fields: Fields,
        parts: Optional[Mapping[str, Any]],
        idempotency_key: Optional[str],
        read: Callable[[HTTPResponse], T],
        *,
        prefer: Optional[str] = None,
    ) -> T:
        form = Form(_form_parts(fields, parts or {}))
        # With an Idempotency-Key, a retry is charged once.
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        if prefer is not None:
            headers["Prefer"] = prefer
        return read(self._send("POST", path, form=form, headers=headers, repeatable=True))

    def _json(self, method: str, path: str, **request: Any) -> object:
        with self._send(method, path, **request) as response:
            return cast(object, json_module.loads(response.read()))

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, object]] = None,
        json: Optional[Mapping[str, object]] = None,
        content: Optional[bytes] = None,
        form: Optional[Form] = None,
        headers: Optional[Mapping[str, str]] = None,
        repeatable: Optional[bool] = None,
    ) -> HTTPResponse:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        url = f"{self._base_url}{path}{'?' + urlencode(given) if given else ''}"
        can_repeat = method in _IDEMPOTENT if repeatable is None else repeatable
        attempt = 0
        while True:
            sent: Dict[str, str] = {"Authorization": f"Bearer {self._key}", **(headers or {})}
            body: Optional[Union[bytes, Iterable[bytes]]] = content
            if json is not None:
                sent["Content-Type"] = "application/json"
                body = json_module.dumps({key: value for key, value in json.items() if value is not None}).encode()
            elif form is not None:
                sent["Content-Type"] = form.content_type
                sent["Content-Length"] = str(form.length)
                body = iter(form)
            elif content is not None:
                sent["Content-Type"] = "application/octet-stream"
            try:
                return cast(HTTPResponse, self._opener.open(Request(url, body, sent, method=method), timeout=self._timeout))
            except HTTPError as response:
                error = _error_of(response)
            except (URLError, HTTPException, OSError) as cause:
                if isinstance(cause, FileNotFoundError):
                    raise
                reason = getattr(cause, "reason", cause)
                error = PdfServiceError("connection", f"The service cannot be reached: {reason}.")
                error.__cause__ = cause
            wait = error.retry_after
            if wait is None:
                wait = 0.5 * 2**attempt * (0.5 + random.random())
            if attempt >= self._max_retries or not _can_retry(error, can_repeat) or wait > _LONGEST_WAIT:
                raise error
            attempt += 1
            time.sleep(wait)


def _can_retry(error: PdfServiceError, can_repeat: bool) -> bool:
    # Rejected before anything was done.
    if error.code in ("rate_limit_exceeded", "overloaded"):
        return True
    return can_repeat and (
        error.status == 0 or error.status >= 500 or error.code in ("idempotency_conflict", "request_timeout")
    )


def _error_of(response: HTTPError) -> PdfServiceError:
    with response:
        text = response.read()
    retry_after = response.headers.get("Retry-After")
    facts: Dict[str, Any] = {
        "status": response.code,
        "request_id": response.headers.get("X-Request-Id"),
        "retry_after": float(retry_after) if retry_after and retry_after.isdigit() else None,
    }
    try:
        error = json_module.loads(text)["error"]
        return PdfServiceError(error["code"], error["message"], details=error.get("details"), **facts)
    except (ValueError, KeyError, TypeError):
        message = f"Unexpected response with status {response.code}: {text[:200]!r}"
        return PdfServiceError("connection", message, **facts)


def _form_parts(fields: Fields, parts: Mapping[str, Any]) -> List[Tuple[str, Union[str, Content]]]:
    given: List[Tuple[str, str, object]] = []
    for kind, name, value in fields:
        if "{N}" in name and value is not None:
            if isinstance(value, (str, bytes)):
                raise TypeError(f"{name.replace('{N}', 's')} is a list.")
            numbered = enumerate(cast("Sequence[object]", value))
            given.extend((kind, name.replace("{N}", str(index)), one) for index, one in numbered)
        else:
            given.append((kind, name, value))
    given.extend(("file", name, file) for name, file in parts.items())
    return [(name, _form_value(kind, name, value)) for kind, name, value in given if value is not None]


def _form_value(kind: str, name: str, value: Any) -> Union[str, Content]:
    if kind == "file":
        return content_of(value, name)
    if kind == "json":
        return json_module.dumps(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
