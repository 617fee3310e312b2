"""
Calls that mypy accepts, and calls that the service would refuse, which it does not: test/e2e/python-client.test.ts runs `mypy --strict` on
this. Nothing here is ever run.
"""

from pdf_service import FileResult, JobHandle, JsonResult, PdfService

pdf = PdfService(base_url="https://pdf.example.com")


def accepted() -> None:
    pdf.split("a.pdf", mode="ranges", ranges="1|2-end")
    pdf.split("a.pdf", mode="chunks", chunk_size=2)
    pdf.split("a.pdf", mode="pages")
    pdf.rotate("a.pdf", angle=90, pages="odd", rotations={"1": 180})
    pdf.rotate("a.pdf", rotations={"1": 180})
    pdf.watermark("a.pdf", kind="text", text="DRAFT", color="#c00")
    pdf.watermark("a.pdf", kind="image", image="logo.png", scale=0.2)
    pdf.protect("a.pdf", owner_password="secret")
    pdf.crop("a.pdf", auto=True)
    pdf.sign("a.pdf", mode="type", typed_name="Ada", field={"page": 1, "x": 0, "y": 0, "width": 90, "height": 30})
    pdf.metadata("a.pdf", action="set", metadata={"title": None})


def results() -> None:
    text: str = pdf.extract_text("a.pdf").data["text"]
    markdown: FileResult = pdf.extract_text("a.pdf", format="markdown", furniture=True)
    searchable: JobHandle[FileResult] = pdf.jobs.ocr("a.pdf", output="pdf")
    pages: int = pdf.metadata("a.pdf", action="get").data["pageCount"]
    print(text, markdown, searchable, pages)


def refused() -> None:
    pdf.merge()  # type: ignore[call-arg]
    pdf.split("a.pdf", mode="ranges")  # type: ignore[call-overload]
    pdf.split("a.pdf", mode="pages", chunk_size=2)  # type: ignore[call-overload]
    pdf.rotate("a.pdf")  # type: ignore[call-overload]
    pdf.rotate("a.pdf", angle=45)  # type: ignore[call-overload]
    pdf.rotate("a.pdf", rotations={"1": 90}, pages="2")  # type: ignore[call-overload]
    pdf.watermark("a.pdf", kind="text")  # type: ignore[call-overload]
    pdf.watermark("a.pdf", kind="text", text="DRAFT", image="logo.png")  # type: ignore[call-overload]
    pdf.protect("a.pdf")  # type: ignore[call-overload]
    pdf.crop("a.pdf")  # type: ignore[call-overload]
    pdf.crop("a.pdf", auto=True, margins=3)  # type: ignore[call-overload]
    pdf.sign("a.pdf", mode="draw", typed_name="Ada")  # type: ignore[call-overload]
    pdf.metadata("a.pdf", action="get", metadata={"title": None})  # type: ignore[call-overload]
    pdf.extract_text("a.pdf", format="text", words=True)  # type: ignore[call-overload]
    pdf.jobs.split("a.pdf", mode="ranges")  # type: ignore[call-overload]
    data: JsonResult[object] = pdf.extract_text("a.pdf", format="text")  # type: ignore[assignment]
    print(data)
