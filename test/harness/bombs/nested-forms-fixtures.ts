import { photograph } from "../images/image-fixtures.ts";
import { flate, pdf } from "../fixtures/pdf-writer.ts";

/** A photograph beside `count` forms, of which each has all forms before it among its resources. The page names the last. */
export function nestedForms(count: number): Uint8Array {
  const first = 6;
  const forms = Array.from({ length: count }, (_, index) => {
    const names = Array.from({ length: index }, (__, before) => `/F${before} ${first + before} 0 R`).join(" ");
    const draw = index > 0 ? `/F${index - 1} Do` : "0 0 1 rg 20 20 40 40 re f";
    const resources = `/Resources << /XObject << ${names} >> >>`;
    return flate(draw, `/Type /XObject /Subtype /Form /BBox [0 0 612 792] ${resources}`);
  });
  const names = `/I 4 0 R /F ${first + count - 1} 0 R`;
  const page = `/Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R`;
  const image = `/Type /XObject /Subtype /Image /Width ${480} /Height ${480} /ColorSpace /DeviceRGB /BitsPerComponent 8`;
  return pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      `<< ${page} /Resources << /XObject << ${names} >> >> >>`,
      flate(photograph(480, 480, 3), image),
      flate("/F Do q 200 0 0 200 100 400 cm /I Do Q"),
      ...forms,
    ],
    "/Root 1 0 R",
  );
}
