/** Whether tests run at full size (`npm run test:full`) instead of a few minutes. */
export const FULL = process.env.KINORA_FULL === '1'
