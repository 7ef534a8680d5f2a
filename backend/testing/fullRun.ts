/** Whether tests run at full size (`npm run test:full`) instead of in their short form. */
export const FULL = process.env.KINORA_FULL === '1'

/** How many times the promised time a measurement may take. Outside the full run, others use the machine too. */
export const SLACK = FULL ? 1 : 5

/** Seed of the run, which `npm test` prints. The environment variable repeats a run. */
export const SEED = Number(process.env.KINORA_TEST_SEED)
