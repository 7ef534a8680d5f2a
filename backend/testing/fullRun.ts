/** Whether tests run at full size (`npm run test:full`) instead of in their short form. */
export const FULL = process.env.KINORA_FULL === '1'

/** Seed of the run, which `npm test` prints. The environment variable repeats a run. */
export const SEED = Number(process.env.KINORA_TEST_SEED)
