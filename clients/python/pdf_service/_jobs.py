"""Operations that run as jobs."""

from __future__ import annotations

import json
from http.client import HTTPResponse
from typing import Any, Callable, Dict, Generic, Iterator, Mapping, Optional, TypeVar, cast
from urllib.parse import quote

from ._transport import Fields, Transport
from ._types import Job

T = TypeVar("T")

_LIVE = ("queued", "running")
_LONGEST_WAIT = 30
"""Seconds that the service may hold back a response for the end of a job: its maximum."""


class JobHandle(Generic[T]):
    """A job on the service. `T` is what its operation returns in an ordinary request."""

    def __init__(self, service: Transport, state: Job, read: Callable[[HTTPResponse], T]) -> None:
        self.id: str = state["id"]
        self.state: Job = state
        """The job as it was in the last response."""
        self._service = service
        self._read = read

    def result(self) -> T:
        """Waits for the end of the job, and gets its result. Raises the error of a job that failed."""
        while self.state["status"] in _LIVE:
            self.refresh(wait=_LONGEST_WAIT)
        return self._read(self._service._send("GET", self._path("/result")))

    def __iter__(self) -> Iterator[Job]:
        """The state now and after each change, until the job has ended."""
        yield self.state
        wait = 1
        while self.state["status"] in _LIVE:
            before = self.state
            self.refresh(wait=wait)
            wait = min(2 * wait, 10)
            if (self.state["status"], self.state["progress"]) != (before["status"], before["progress"]):
                yield self.state

    def refresh(self, *, wait: int = 0) -> Job:
        """Gets the state: when the job ends, or after `wait` seconds."""
        return self._update("GET", "", {"wait": wait} if wait else {})

    def cancel(self) -> Job:
        """Cancels the job, which is charged for the pages that are done. One that has ended stays as it is."""
        return self._update("POST", "/cancel", {})

    def delete(self) -> Job:
        """Deletes the job, its files, and its result. One that has not ended is canceled first."""
        return self._update("DELETE", "", {})

    def _path(self, path: str) -> str:
        return f"/api/v1/jobs/{quote(self.id, safe='')}{path}"

    def _update(self, method: str, path: str, query: Dict[str, object]) -> Job:
        self.state = cast(Job, self._service._json(method, self._path(path), query=query, repeatable=True))
        return self.state


def start_job(
    service: Transport,
    path: str,
    fields: Fields,
    parts: Optional[Mapping[str, Any]],
    idempotency_key: Optional[str],
    read: Callable[[HTTPResponse], T],
) -> JobHandle[T]:
    """Starts an operation as a job (RFC 7240, `respond-async`)."""

    def job(response: HTTPResponse) -> JobHandle[T]:
        with response:
            return JobHandle(service, json.loads(response.read()), read)

    return service._operation(path, fields, parts, idempotency_key, job, prefer="respond-async")
