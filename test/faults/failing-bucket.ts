import { env } from "cloudflare:workers";

/** A request to the bucket that fails: it throws, never responds, or its body breaks off in the middle, or is a chunk short. */
export type Fault = "throws" | "hangs" | "breaks off" | "short";
type Times = "once" | "always";
export type Trip = "get" | "put" | "delete" | "list" | "createMultipartUpload" | "uploadPart" | "complete";

/** The service's bindings, with a bucket of which the first request of a kind after `sound` others fails, or each one. */
export function failing(trip: Trip, times: Times, fault: Fault = "throws", sound = 0) {
  let count = -sound;
  const fails = (name: string | symbol): boolean => {
    if (name !== trip) return false;
    count += 1;
    return count === 1 || (count > 1 && times === "always");
  };
  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...values: unknown[]): unknown => {
          const isFault = fails(name);
          if (isFault && fault === "throws") return Promise.reject(new Error("R2 failed: Network connection lost."));
          if (isFault && fault === "hangs") return new Promise(() => {});
          const result: unknown = Reflect.apply(member, target, values);
          if (name === "resumeMultipartUpload") return wrap(result as object);
          if (name === "createMultipartUpload") return (result as Promise<object>).then(wrap);
          return isFault ? (result as Promise<R2ObjectBody>).then((object) => cut(object, fault)) : result;
        };
      },
    });
  return { bindings: { ...env, FILES: wrap(env.FILES) }, trips: () => count };
}

/** The object with a body that ends after half of its bytes. */
function cut(object: R2ObjectBody, fault: Fault): R2ObjectBody {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  void (async () => {
    const bytes = new Uint8Array(await object.arrayBuffer());
    await writer.write(bytes.subarray(0, bytes.length >> 1));
    await (fault === "short" ? writer.close() : writer.abort(new Error("R2 failed in the middle")));
  })().catch(() => {});
  return new Proxy(object, {
    get: (target, name) => (name === "body" ? readable : (Reflect.get(target, name) as unknown)),
  });
}

/** The service's bindings, with a bucket that does something before it sends what is read in the request of this number. */
export function interrupted(number: number, work: () => Promise<unknown>) {
  let count = 0;
  const bucket = new Proxy(env.FILES, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return async (...values: unknown[]): Promise<unknown> => {
        if (name === "get") {
          count += 1;
          if (count === number) await work();
        }
        return Reflect.apply(member, target, values);
      };
    },
  });
  return { ...env, FILES: bucket };
}

/** The service's bindings, with a bucket in which each request of a kind waits for `promise`. */
export function waiting(trip: Trip, promise: Promise<void>) {
  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return async (...values: unknown[]): Promise<unknown> => {
          if (name === trip) await promise;
          const result: unknown = await Reflect.apply(member, target, values);
          return name === "createMultipartUpload" ? wrap(result as object) : result;
        };
      },
    });
  return { ...env, FILES: wrap(env.FILES) };
}
