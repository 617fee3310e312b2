import { expect } from "vitest";
import { claimedPages } from "../bombs/bomb-fixtures.ts";
import {
  type ApiResponse,
  noticeClosed,
  patiently,
  pdfPart,
  post,
  type Part,
  type Service,
} from "../requests/client.ts";

/** Requests during which the service must respond to others. */
export function besideOthers(service: Service) {
  /** Sends a file to an operation, and others' requests meanwhile. */
  async function send(
    operation: string,
    file: Uint8Array,
    fields: Readonly<Record<string, Part>> = {},
  ): Promise<ApiResponse> {
    const name = operation === "from-images" ? "image0" : "file";
    await noticeClosed();
    const response = post(service, operation, { [name]: pdfPart(file), ...fields });
    const [health, other] = await Promise.all([
      fetch(`${service.baseUrl}/api/v1/health`),
      patiently(() => post(service, "rotate", { file: pdfPart(claimedPages("1")), angle: "90" })),
    ]);
    expect([health.status, other.status]).toEqual([200, 200]);
    return response;
  }

  async function outcome(...request: Parameters<typeof send>): Promise<readonly [number, string | undefined]> {
    const { status, code } = await send(...request);
    return [status, code];
  }

  return { send, outcome };
}
