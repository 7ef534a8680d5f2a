/** Whether all is tried (`npm run test:full`), or as much of it as fits into minutes. */
export const FULL = process.env.KINORA_FULL === '1'
