import { z } from "zod";
import { defineEndpoint } from "./define.ts";
import { planNames } from "../../accounts/plans.ts";
import { usageOf } from "../../accounts/usage.ts";

const credits = (description: string) => z.int().min(0).describe(description);

export const usage = defineEndpoint({
  name: "getUsage",
  tag: "Usage",
  method: "GET",
  path: "/usage",
  summary: "Credits of this month",
  description:
    "What the account has used of its credits in this calendar month (UTC). Live and test keys have a ledger each; the calling key's own is told. Costs no credits.",
  scope: "billing:read",
  status: 200,
  answer: z
    .object({
      currentPeriodStart: z.string().meta({ format: "date-time" }),
      currentPeriodEnd: z.string().meta({ format: "date-time", description: "The first instant of the next month." }),
      plan: z.enum(planNames),
      limit: credits("Credits of the month."),
      used: credits("Credits charged, and those set aside for calls that are at work."),
      remaining: credits("Credits left."),
      perOperation: z.record(z.string(), z.int()).describe("Credits charged, by operation."),
    })
    .meta({ id: "UsageSummary" }),
  errors: [],
  async handle({ db, caller, now }) {
    const summary = await usageOf(db, caller, now);
    return {
      ...summary,
      currentPeriodStart: summary.currentPeriodStart.toISOString(),
      currentPeriodEnd: summary.currentPeriodEnd.toISOString(),
      perOperation: { ...summary.perOperation },
    };
  },
});
