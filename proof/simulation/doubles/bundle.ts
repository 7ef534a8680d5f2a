/** Stands in for `workflows/temporal/bundle.ts`. */
export const workflowBundle = async () => ({})
