import type { Reporter, TestModule } from "vitest/node";

/** Prints the tests that passed only when they were tried again. */
export class RetriedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const retries = test.diagnostic()?.retryCount ?? 0;
        if (retries > 0 && test.ok()) console.log(`Retried: ${module.relativeModuleId} > ${test.fullName}`);
      }
    }
  }
}
