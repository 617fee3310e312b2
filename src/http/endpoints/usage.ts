import { z } from "zod";
import { defineEndpoint } from "./define.ts";
import { planNames, plans } from "../../accounts/plans.ts";
import { usageOf } from "../../billing/usage.ts";
import { readEnv } from "../../env.ts";

const credits = (description: string) => z.int().min(0).describe(description);

export const usage = defineEndpoint({
  name: "getUsage",
  tag: "Usage",
  method: "GET",
  path: "/usage",
  summary: "Get usage",
  description:
    "Returns the credits used in this calendar month (UTC). Live and test keys have separate credits; the response is about the mode of the API key you use. Costs no credits.",
  scope: "billing:read",
  status: 200,
  response: z
    .object({
      currentPeriodStart: z.string().meta({ format: "date-time" }),
      currentPeriodEnd: z.string().meta({ format: "date-time", description: "The start of the next month." }),
      plan: z.enum(planNames),
      limit: credits("The credits per month. Null if the plan has no limit.").nullable(),
      used: credits("The credits charged, including those reserved for running requests."),
      remaining: credits("The credits left. Null if the plan has no limit.").nullable(),
      perOperation: z.record(z.string(), z.int()).describe("The credits charged per operation."),
      months: z
        .array(z.object({ start: z.string().meta({ format: "date-time" }), used: credits("The credits charged.") }))
        .describe("The months with usage, up to this one, oldest first. They are kept for 13 months."),
      limits: z
        .object({
          requestBytes: z.int().describe("The largest request body."),
          fileBytes: z.int().describe("The largest file that can be uploaded."),
        })
        .describe("The limits of the plan, in bytes."),
    })
    .meta({ id: "UsageSummary" }),
  errors: [],
  async handle({ db, caller, now, context }) {
    const summary = await usageOf(db, caller, now);
    const { maxBodyBytes, largestFileBytes } = plans[caller.plan];
    const { heldBytes } = readEnv(context.env).sizes;
    return {
      ...summary,
      currentPeriodStart: summary.currentPeriodStart.toISOString(),
      currentPeriodEnd: summary.currentPeriodEnd.toISOString(),
      perOperation: { ...summary.perOperation },
      months: summary.months.map(({ start, used }) => ({ start: start.toISOString(), used })),
      limits: { requestBytes: Math.min(maxBodyBytes, heldBytes), fileBytes: largestFileBytes },
    };
  },
});
