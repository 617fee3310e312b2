"""Against a started service: test/e2e/python-client.test.ts runs this, and says where the service is."""

import base64
import hashlib
import os
import tempfile
import unittest
from pathlib import Path
from typing import Dict, List

from pdf_service import PdfService, PdfServiceError, WebhookVerificationError, verify_webhook

EXAMPLES = Path(os.environ["EXAMPLES"])
LETTER = EXAMPLES / "letter.pdf"
ENCLOSURE = EXAMPLES / "enclosure.pdf"

pdf = PdfService(base_url=os.environ["PDF_SERVICE_URL"])


class Operations(unittest.TestCase):
    def test_files_in_several_forms_become_one_that_is_saved(self) -> None:
        with ENCLOSURE.open("rb") as opened:
            merged = pdf.merge([LETTER, opened, ("named.pdf", LETTER.read_bytes())], title="Three “letters”")
        self.assertEqual((merged.page_count, merged.file_name, merged.credits_charged), (5, "letter-merge.pdf", 1))
        with tempfile.TemporaryDirectory() as folder:
            path = merged.save(Path(folder) / "merged.pdf")
            self.assertEqual([one.name for one in Path(folder).iterdir()], ["merged.pdf"])
            facts = pdf.metadata(path, action="get")
        self.assertEqual((facts.data["title"], facts.data["pageCount"]), ("Three “letters”", 5))

    def test_a_result_says_what_it_is_and_why_it_cannot_be_saved_twice(self) -> None:
        rotated = pdf.rotate(LETTER, angle="90")
        self.assertRegex(repr(rotated), r"^<FileResult letter-rotate\.pdf, application/pdf, 2 pages, [\d,]+ bytes>$")
        with tempfile.TemporaryDirectory() as folder:
            saved = rotated.save(Path(folder) / "rotated.pdf")
            size = saved.stat().st_size
            with self.assertRaisesRegex(RuntimeError, "can be read once"):
                rotated.save(saved)
            self.assertEqual([(one.name, one.stat().st_size) for one in Path(folder).iterdir()], [("rotated.pdf", size)])
        self.assertRegex(repr(pdf.extract_text(LETTER)), r"^<JsonResult \{.{199}\.\.\.>$")

    def test_json_and_flags_are_sent_as_the_service_takes_them(self) -> None:
        rotated = pdf.rotate(LETTER, rotations={"2": 180}).read()
        self.assertEqual([page["rotation"] for page in pdf.metadata(rotated, action="get").data["pages"]], [0, 180])
        text = pdf.extract_text(LETTER, pages="1", words=True).data
        self.assertEqual(text["pages"][0]["words"][0]["text"], "Northwind")

    def test_headers_have_types(self) -> None:
        compressed = pdf.compress(LETTER)
        self.assertEqual(compressed.original_size, LETTER.stat().st_size)
        self.assertEqual(compressed.output_size, len(compressed.read()))
        self.assertIs(compressed.input_repaired, False)
        filled = pdf.fill_form(EXAMPLES / "form.pdf", values={"näme": "x"})
        self.assertEqual((filled.unknown_fields, filled.unknown_fields_count), (["näme"], 1))

    def test_the_result_depends_on_the_parameters(self) -> None:
        searchable = pdf.ocr(EXAMPLES / "receipt.png", output="pdf")
        self.assertGreater(searchable.mean_confidence or 0, 0.8)
        self.assertIn("Received", pdf.extract_text(searchable.read()).data["text"])

    def test_a_pipeline_names_its_files(self) -> None:
        steps: List[Dict[str, object]] = [{"operation": "rotate", "angle": 90}, {"operation": "merge", "file1": "part:end"}]
        result = pdf.pipeline(file=LETTER, steps=steps, parts={"end": ENCLOSURE})
        self.assertEqual([step["pages"] for step in result.steps], [2, 3])


class Errors(unittest.TestCase):
    def test_they_name_their_fields(self) -> None:
        with self.assertRaises(PdfServiceError) as caught:
            pdf.split(LETTER, mode="chunks")  # type: ignore[call-overload]
        error = caught.exception
        self.assertEqual((error.code, error.status), ("invalid_parameters", 400))
        self.assertEqual([field.name for field in error.fields], ["chunkSize"])
        self.assertTrue((error.request_id or "").startswith("req_"))
        self.assertEqual(str(error), f"invalid_parameters: {error.message} ({error.request_id})")
        with self.assertRaises(PdfServiceError) as caught:
            pdf.extract_pages(LETTER, range="9")
        self.assertEqual([field.name for field in caught.exception.fields], ["range"])

    def test_a_service_that_is_not_there(self) -> None:
        with self.assertRaises(PdfServiceError) as caught:
            PdfService(base_url="http://localhost:9", max_retries=0).health()
        self.assertEqual((caught.exception.code, caught.exception.status), ("connection", 0))

    def test_a_missing_file_is_a_missing_file(self) -> None:
        with self.assertRaises(FileNotFoundError):
            pdf.rotate("missing.pdf", angle="90")

    def test_lost_connections_are_retried_and_charged_once(self) -> None:
        """The proxy of the test loses the first two connections."""
        far = PdfService(base_url=os.environ["CUTTING_PROXY"])
        result = far.extract_pages(LETTER, range="2")
        self.assertEqual((result.page_count, result.credits_charged, result.idempotency_replayed), (1, 0, True))


class FilesAndJobs(unittest.TestCase):
    def test_a_large_file_goes_up_in_parts(self) -> None:
        data = b"%PDF-1.7" + os.urandom(17 * 1024 * 1024)
        file = pdf.upload_file(("large.pdf", data), expires_in=600)
        self.assertEqual((file["status"], file["sha256"]), ("ready", hashlib.sha256(data).hexdigest()))
        self.assertEqual(pdf.get_file_content(file["id"]).read(), data)
        pdf.delete_file(file["id"])
        with self.assertRaises(PdfServiceError) as caught:
            pdf.get_file(file["id"])
        self.assertEqual(caught.exception.code, "not_found")

    def test_a_reference_stands_for_a_file(self) -> None:
        file = pdf.upload_file(LETTER)
        self.assertEqual(pdf.merge([file["id"], ENCLOSURE]).page_count, 3)
        pdf.delete_file(file["id"])

    def test_a_job_shows_its_progress_and_has_a_result(self) -> None:
        job = pdf.jobs.extract_text(LETTER, expires_in=600, on_page_error="continue")
        states = list(job)
        self.assertEqual((states[-1]["status"], states[-1]["progress"]["done"]), ("succeeded", 2))
        self.assertIn("Babbage", job.result().data["text"])
        self.assertIn("Babbage", str(pdf.open_job(job.id).result()) + pdf.jobs.extract_text(LETTER).result().data["text"])
        self.assertEqual([one["id"] for one in pdf.list_jobs(limit=2)["data"]][1:], [job.id])
        job.delete()

    def test_keys_are_made_and_revoked(self) -> None:
        made = pdf.create_key(name="Archive", scopes=["pdf:read"])
        with self.assertRaises(PdfServiceError) as caught:
            PdfService(base_url=os.environ["PDF_SERVICE_URL"], api_key=made["key"]).rotate(LETTER, angle="90")
        self.assertEqual(caught.exception.code, "forbidden")
        self.assertIsNotNone(pdf.revoke_key(made["id"])["revokedAt"])


class Webhooks(unittest.TestCase):
    def test_a_delivery_is_verified(self) -> None:
        """STANDARD_WEBHOOK has what the reference implementation signed."""
        id, timestamp, signature, secret, body = os.environ["STANDARD_WEBHOOK"].split("\n")
        headers = {"Webhook-Id": id, "Webhook-Timestamp": timestamp, "Webhook-Signature": f"v1,AAAA {signature}"}
        now = float(timestamp) + 10
        self.assertEqual(verify_webhook(body, headers, secret=secret, now=now)["id"], id)
        for wrong in (
            lambda: verify_webhook(body + " ", headers, secret=secret, now=now),
            lambda: verify_webhook(body, headers, secret="whsec_" + base64.b64encode(b"x").decode(), now=now),
            lambda: verify_webhook(body, headers, secret=secret, now=now + 3600),
            lambda: verify_webhook(body, {**headers, "Webhook-Signature": "v1,*"}, secret=secret, now=now),
            lambda: verify_webhook(body, {}, secret=secret, now=now),
        ):
            self.assertRaises(WebhookVerificationError, wrong)


if __name__ == "__main__":
    unittest.main()
