/** Whether tests run at full size (`npm run test:full`) instead of in their short form. */
export const FULL = process.env.KINORA_FULL === '1'
