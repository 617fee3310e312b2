import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { post } from "../harness/requests/client.ts";
import { bombs } from "../harness/bombs/conversion-bombs.ts";

const { baseUrl, liveKey } = ownServer();

test.each(bombs.map((bomb) => [bomb.name, bomb] as const))(
  "a conversion bomb is converted or refused, and the service stays healthy: %s",
  async (_name, { bytes, fields }) => {
    const file = { bytes: bytes(), fileName: "file.bin" };
    const { status, code } = await post({ baseUrl, key: liveKey }, "to-pdf", { file, ...fields });
    expect([200, 400, 413, 415], code).toContain(status);
    expect((await fetch(`${baseUrl}/api/v1/health`)).status).toBe(200);
  },
);
