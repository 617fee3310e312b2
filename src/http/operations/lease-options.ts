import type { ImagesBinding } from "@cloudflare/workers-types";
import type { LeaseRequest } from "../admission/lease.ts";
import type { WebpService } from "../../engines/lease/engines.ts";
import type { Env } from "../../env.ts";
import { limits } from "../../limits.ts";

/** What engines are given for every request and every part of a job. */
export function leaseOptions({ images, loadFont, loadModel, memoryBudgetBytes }: Env): LeaseRequest["given"] {
  return {
    memoryBytes: memoryBudgetBytes - limits.admission.baseBytes,
    webpService: images && webpServiceOf(images),
    loadFont,
    loadModel,
  };
}

/** WebP by Cloudflare Images. The local version used by `npm start` does not support quality and uses its default. */
function webpServiceOf(images: ImagesBinding): WebpService {
  return async (png, quality) => {
    const result = await images.input(png).output({ format: "image/webp", quality });
    return result.image();
  };
}
