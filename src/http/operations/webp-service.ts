import type { ImagesBinding } from "@cloudflare/workers-types";
import type { WebpService } from "../../engines/lease/engines.ts";

/** WebP by Cloudflare Images. The local one that `npm start` runs has no quality and takes its default. */
export function webpServiceOf(images: ImagesBinding): WebpService {
  return async (png, quality) => {
    const result = await images.input(png).output({ format: "image/webp", quality });
    return result.image();
  };
}
