"""Errors of the client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional


@dataclass(frozen=True)
class FieldIssue:
    """A problem with one field of a request. `step`: in a pipeline, the number of the step, from 1."""

    name: str
    issue: str
    step: Optional[int] = None


class PdfServiceError(Exception):
    """An error of the service, or `connection`: there was no response, or not one of the service."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int = 0,
        details: Optional[Dict[str, Any]] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        """The HTTP status; 0 if there was no response."""
        self.details: Dict[str, Any] = details or {}
        self.request_id = request_id
        """Include it when you report a problem."""
        self.retry_after = retry_after
        """Seconds to wait before a retry."""

    def __str__(self) -> str:
        request = f" ({self.request_id})" if self.request_id else ""
        return f"{self.code}: {self.message}{request}"

    @property
    def fields(self) -> List[FieldIssue]:
        """The fields that the error is about: all that are invalid, the page range, or the file."""
        fields = self.details.get("fields")
        if isinstance(fields, list):
            return [FieldIssue(one["name"], one["issue"], one.get("step")) for one in fields]
        name = self.details.get("field", self.details.get("input"))
        return [FieldIssue(name, self.message)] if isinstance(name, str) else []
