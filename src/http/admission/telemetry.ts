import { admissionOf } from "./admission.ts";
import { engineCounts, keptBytes } from "../../engines/lease/pool.ts";
import type { Env } from "../../env.ts";
import { type Telemetry, telemetryOf } from "../../telemetry/telemetry.ts";

/** The isolate's telemetry, if the operator wants any, with metrics of its memory and engines. */
export const telemetryIn = ({ telemetry, sizes }: Env): Telemetry | undefined =>
  telemetryOf(telemetry, () => {
    const admission = admissionOf(sizes.memoryBytes);
    return [
      { name: "pdf.memory.held", unit: "By", kind: "gauge", read: () => admission.heldBytes },
      { name: "pdf.memory.kept", unit: "By", kind: "gauge", read: keptBytes },
      { name: "pdf.engine.starts", unit: "{engine}", kind: "sum", read: () => engineCounts().started },
      { name: "pdf.engine.failures", unit: "{engine}", kind: "sum", read: () => engineCounts().failed },
    ];
  });
