/** The promise's value, or `error()` thrown where it has none after `milliseconds`. */
export async function beforeStall<T>(promise: Promise<T>, milliseconds: number, error: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stall = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(error()), milliseconds);
  });
  try {
    return await Promise.race([promise, stall]);
  } finally {
    if (timer !== undefined) clearTimeout(timer);
  }
}
