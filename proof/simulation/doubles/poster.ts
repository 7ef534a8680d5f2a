/** Stands in for `kernel/media/poster.ts`. */
export async function makePoster(): Promise<void> {}
