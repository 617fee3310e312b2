import { describe, expect, test } from "vitest";
import { issues } from "./protect-service.ts";

describe("parameters of protect", () => {
  test("reports all problems at once", async () => {
    const given = {
      userPassword: "same\u0000",
      ownerPassword: "same\u0000",
      permissions: "print,fly,run",
      encryption: "aes-256",
    };
    expect(await issues(given)).toEqual([
      {
        name: "permissions",
        issue:
          'has unknown permissions, "fly", "run": use print, print-high, modify, copy, annotate, fill-forms, accessibility, assemble, all, none',
      },
      { name: "userPassword", issue: expect.stringContaining("control characters") as string },
      { name: "ownerPassword", issue: expect.stringContaining("control characters") as string },
    ]);
  });

  test("an unknown cipher suppresses checks that depend on it", async () => {
    expect(await issues({ encryption: "rc4", permissions: "fly" })).toMatchObject([
      { name: "permissions" },
      { name: "encryption", issue: "must be aes-128 or aes-256" },
      { name: "userPassword", issue: "is required unless `ownerPassword` is sent" },
    ]);
  });

  test("a password is required, and an empty one does not count", async () => {
    const missing = [{ name: "userPassword", issue: "is required unless `ownerPassword` is sent" }];
    expect(await issues({})).toEqual(missing);
    expect(await issues({ userPassword: "", ownerPassword: "" })).toEqual(missing);
  });

  test("permissions below all are rejected with one password for both, in any form of it", async () => {
    const same = [{ name: "permissions", issue: expect.stringContaining("must be all where") as string }];
    const permissions = "print";
    expect(await issues({ userPassword: "x", ownerPassword: "x", permissions })).toEqual(same);
    expect(await issues({ userPassword: "e\u0301ﬁ", ownerPassword: "éfi", permissions })).toEqual(same);
    expect(await issues({ userPassword: "x", ownerPassword: "x", permissions: "" })).toEqual(same);
  });

  test.each([
    ["aes-256", "x".repeat(128), /1 to 127 bytes/],
    ["aes-256", "ü".repeat(64), /1 to 127 bytes long in UTF-8; this one is 128/],
    ["aes-256", "\u00ad", /1 to 127 bytes long in UTF-8; this one is 0/],
    ["aes-256", "a\u0007", /control characters/],
    ["aes-128", "x".repeat(33), /1 to 32 printable ASCII.*aes-256/],
    ["aes-128", "ü", /1 to 32 printable ASCII.*aes-256/],
    ["aes-128", "a\u0000", /1 to 32 printable ASCII.*aes-256/],
  ])("%s rejects the password %j", async (encryption, userPassword, issue) => {
    expect(await issues({ encryption, userPassword })).toEqual([
      { name: "userPassword", issue: expect.stringMatching(issue) as string },
    ]);
  });

  test("`none` cannot be combined, and no item is empty", async () => {
    const of = (permissions: string) => issues({ userPassword: "x", permissions });
    expect(await of("none,print")).toEqual([
      { name: "permissions", issue: "must not combine none with other permissions" },
    ]);
    expect(await of("print,")).toMatchObject([
      { name: "permissions", issue: expect.stringMatching(/^has an unknown permission, "":/) as string },
    ]);
    expect(await of("toString")).toMatchObject([{ name: "permissions" }]);
  });

  test("an unknown field is named", async () => {
    expect(await issues({ userPassword: "x", userpassword: "y" })).toMatchObject([{ name: "userpassword" }]);
  });
});
