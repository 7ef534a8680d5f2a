/** Returns a new idempotency key of 128 random bits. `crypto.randomUUID` is missing where a page is read over http. */
export const newOrderKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')
